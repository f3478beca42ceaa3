#include "array/chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "array/resize.hpp"
#include "array/spectrogram.hpp"
#include "base/step_reader.hpp"

namespace stoker::array {

namespace {

constexpr StepGrammar kGrammar{.operation = "read steps",
                               .example = "spectrogram(window=256, hop=64) resize(length=100)"};
constexpr std::array<std::string_view, 3> kStepNames{"spectrogram", "mel", "resize"};
constexpr float kLargestHalf = 65504, kLeastNormalHalf = 0x1p-14F;

std::optional<StoredType> read_dtype(StepReader& reader) {
  static constexpr std::array<std::string_view, 2> kNames{"float16", "float32"};
  const std::size_t chosen = reader.choice("dtype", kNames, kNames.size());
  if (chosen == kNames.size()) return std::nullopt;
  return chosen == 0 ? StoredType::float16 : StoredType::float32;
}

SpectrumOptions read_spectrum(StepReader& reader) {
  static constexpr std::array<std::string_view, 2> kBools{"false", "true"};
  SpectrumOptions options;
  options.window = reader.whole("window", kMinWindow, kMaxWindow, options.window);
  if (options.window % 2 != 0) {
    reader.refuse(fmt::format("window={}", options.window), "an even number of samples");
  }
  options.hop = reader.whole("hop", 1, options.window, std::min(options.hop, options.window));
  options.log = reader.choice("log", kBools, options.log ? 1 : 0) == 1;
  options.dtype = read_dtype(reader);
  return options;
}

std::unique_ptr<Step> read_spectrogram(StepReader& reader) {
  static constexpr std::array<std::string_view, 4> kNames{"window", "hop", "log", "dtype"};
  const SpectrumOptions options = read_spectrum(reader);
  reader.finish(kNames);
  return std::make_unique<Spectrogram>(options);
}

std::unique_ptr<Step> read_mel(StepReader& reader) {
  static constexpr std::array<std::string_view, 6> kNames{"rate", "bands", "window", "hop", "log", "dtype"};
  constexpr double kLeastRate = 1e-3, kLargestRate = 1e9;
  MelOptions options;
  options.rate = reader.number("rate", kLeastRate, kLargestRate, 0);
  options.bands = reader.whole("bands", 1, kMaxWindow / 2, options.bands);
  options.spectrum = read_spectrum(reader);
  reader.finish(kNames);
  if (options.rate == 0) reader.refuse("no rate", "samples a second: mel(rate=256)");
  const std::vector<MelBand> bands = mel_bands(options);
  const auto none =
      std::find_if(bands.begin(), bands.end(), [](const MelBand& band) { return band.weights.empty(); });
  if (none != bands.end()) {
    reader.refuse(
        fmt::format("bands={}: no bin of the spectrum lies in band {}", options.bands, none - bands.begin()),
        "bands that are wider than a bin, rate / window", "take fewer bands or a larger window");
  }
  return std::make_unique<Mel>(options);
}

std::unique_ptr<Step> read_resize(StepReader& reader) {
  static constexpr std::array<std::string_view, 3> kNames{"length", "shape", "dtype"};
  const std::string allowed = fmt::format(
      "length=N, or shape=ROWSxCOLUMNS, each 1..{}: resize(length=100), resize(shape=64x100)", kMaxLength);
  std::vector<std::size_t> lengths;
  if (const int length = reader.whole("length", 1, kMaxLength, 0); length != 0) {
    lengths.push_back(static_cast<std::size_t>(length));
  }
  if (const std::optional<std::string_view> shape = reader.take("shape")) {
    if (!lengths.empty()) reader.refuse("length and shape", "one of them");
    const std::size_t cross = shape->find('x');
    const std::optional<int> rows = whole_number(shape->substr(0, cross));
    const std::optional<int> columns =
        cross == std::string_view::npos ? std::nullopt : whole_number(shape->substr(cross + 1));
    const auto fits = [](std::optional<int> side) { return side && *side >= 1 && *side <= kMaxLength; };
    if (!fits(rows) || !fits(columns)) reader.refuse(fmt::format("shape={}", *shape), allowed);
    lengths = {static_cast<std::size_t>(*rows), static_cast<std::size_t>(*columns)};
  }
  const std::optional<StoredType> dtype = read_dtype(reader);
  reader.finish(kNames);
  if (lengths.empty()) reader.refuse("no length", allowed);
  return std::make_unique<Resize>(std::move(lengths), dtype);
}

std::unique_ptr<Step> read_step(const StepText& text) {
  StepReader reader(text, kGrammar);
  if (text.name == "spectrogram") return read_spectrogram(reader);
  if (text.name == "mel") return read_mel(reader);
  if (text.name == "resize") return read_resize(reader);
  reader.refuse_unknown(kStepNames);
}

// "[3, 1200]" of number `at` of an array.
std::string place_of(std::size_t at, const Shape& shape) {
  Shape place(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; at /= shape[axis]) place[axis] = at % shape[axis];
  return to_string(place);
}

// One number that is not finite would spread over a frame, and from there into a training.
Result<void> check_finite(std::span<const float> numbers, const Shape& shape) {
  const auto odd =
      std::find_if(numbers.begin(), numbers.end(), [](float number) { return !std::isfinite(number); });
  if (odd == numbers.end()) return {};
  return fail(ErrorCode::corrupt_data,
              {.operation = "transform array",
               .object = place_of(static_cast<std::size_t>(odd - numbers.begin()), shape),
               .found = fmt::format("{}", *odd),
               .allowed = "finite numbers, as float32"});
}

Result<void> check_fits_half(std::span<const float> numbers) {
  float largest = 0;
  for (const float number : numbers) largest = std::max(largest, std::abs(number));
  if (largest <= kLargestHalf && (largest == 0 || largest >= kLeastNormalHalf)) return {};
  return fail(ErrorCode::unsupported, {.operation = "store array as float16",
                                       .found = fmt::format("{} as the largest magnitude", largest),
                                       .allowed = fmt::format("{}..{}", kLeastNormalHalf, kLargestHalf),
                                       .next_step = "store it with dtype=float32, or take log=true"});
}

}  // namespace

Chain::Chain(std::string_view text) {
  for (const StepText& step : split_steps(text, kGrammar)) steps_.push_back(read_step(step));
  if (steps_.empty()) {
    throw Error(ErrorCode::invalid_argument, {.operation = std::string(kGrammar.operation),
                                              .found = "no steps",
                                              .allowed = fmt::format("{}", fmt::join(kStepNames, ", ")),
                                              .next_step = fmt::format("for example {}", kGrammar.example)});
  }
}

std::string Chain::to_string() const {
  std::string text;
  for (const auto& step : steps_) text += (text.empty() ? "" : " ") + step->to_string();
  return text;
}

StoredType Chain::stored() const {
  StoredType stored = StoredType::float32;
  for (const auto& step : steps_) stored = step->stored().value_or(stored);
  return stored;
}

namespace {

// The step's output shape, if it is one that may be made.
Result<Shape> shape_behind(const Step& step, const Shape& input) {
  Result<Shape> output = step.output_shape(input);
  if (!output) return output;
  double numbers = 1;
  for (const std::size_t length : *output) numbers *= static_cast<double>(length);
  if (numbers <= static_cast<double>(kMaxNumbers)) return output;
  return fail(ErrorCode::out_of_resources, {.operation = "transform array",
                                            .object = step.to_string(),
                                            .found = fmt::format("an array of {}", to_string(*output)),
                                            .allowed = fmt::format("{} numbers at most", kMaxNumbers)});
}

}  // namespace

Result<Shape> Chain::output_shape(const Shape& input) const {
  Result<Shape> shape = input;
  for (const auto& step : steps_) {
    shape = shape_behind(*step, *shape);
    if (!shape) break;
  }
  return shape;
}

Result<std::span<const std::byte>> Chain::run(std::span<const std::byte> file) {
  Result<NpyArray> array = read_npy(file);
  if (!array) return tl::unexpected(array.error());
  if (const auto fits = output_shape(array->shape); !fits) return tl::unexpected(fits.error());
  numbers_.resize(array->count());
  copy_floats(*array, numbers_);
  if (const auto finite = check_finite(numbers_, array->shape); !finite) {
    return tl::unexpected(finite.error());
  }
  Shape shape = std::move(array->shape);
  for (const auto& step : steps_) {
    Shape output = value_or_throw(step->output_shape(shape));  // it was asked before
    next_.resize(count_of(output));
    step->run(shape, numbers_, next_);
    std::swap(numbers_, next_);
    shape = std::move(output);
  }
  // Sums and squares of large numbers may leave float32.
  if (const auto finite = check_finite(numbers_, shape); !finite) return tl::unexpected(finite.error());
  if (stored() == StoredType::float16) {
    if (const auto fits = check_fits_half(numbers_); !fits) return tl::unexpected(fits.error());
  }
  write_npy(shape, numbers_, stored(), file_);
  return std::span<const std::byte>(file_);
}

}  // namespace stoker::array
