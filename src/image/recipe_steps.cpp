#include "image/recipe_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <tuple>

#include "base/units.hpp"
#include "base/words.hpp"
#include "image/step_reader.hpp"

namespace stoker::image {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 10> kStepNames{
    "random_resized_crop", "resize", "center_crop",    "random_crop",   "flip",
    "normalize",           "tensor", "imagenet_train", "imagenet_eval", "array"};
constexpr std::array<std::string_view, 4> kDtypeNames{"u8", "f16", "bf16", "f32"};
constexpr std::array<std::string_view, 2> kLayoutNames{"nchw", "nhwc"};
constexpr double kMaxRatio = 100;

RandomResizedCrop read_random_resized_crop(RecipeReader& reader) {
  RandomResizedCrop step{.size = reader.size("size")};
  std::tie(step.scale_min, step.scale_max) = reader.range("scale", 0, 1, {step.scale_min, step.scale_max});
  std::tie(step.ratio_min, step.ratio_max) =
      reader.range("ratio", 0, kMaxRatio, {step.ratio_min, step.ratio_max});
  step.filter = reader.filter("filter", step.filter);
  static constexpr std::array<std::string_view, 4> kNames{"size", "scale", "ratio", "filter"};
  reader.finish(kNames);
  return step;
}

ResizeStep read_resize(RecipeReader& reader) {
  bool alone = false;
  const Size size = reader.size("size", &alone);
  ResizeStep step{.short_side = alone ? size.width : 0, .size = alone ? Size{} : size};
  step.filter = reader.filter("filter", step.filter);
  static constexpr std::array<std::string_view, 2> kNames{"size", "filter"};
  reader.finish(kNames);
  return step;
}

CenterCrop read_center_crop(RecipeReader& reader) {
  static constexpr std::array<std::string_view, 1> kNames{"size"};
  const CenterCrop step{reader.size("size")};
  reader.finish(kNames);
  return step;
}

RandomCrop read_random_crop(RecipeReader& reader) {
  static constexpr std::array<std::string_view, 2> kNames{"size", "padding"};
  RandomCrop step{.size = reader.size("size")};
  step.padding = reader.whole("padding", 0, kMaxSide, 0);
  reader.finish(kNames);
  return step;
}

Flip read_flip(RecipeReader& reader) {
  static constexpr std::array<std::string_view, 1> kNames{"probability"};
  const Flip step{reader.number("probability", 0, 1, Flip{}.probability)};
  reader.finish(kNames);
  return step;
}

std::array<float, 3> read_triple(RecipeReader& reader, std::string_view option, std::string_view text) {
  std::array<float, 3> out{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t slash = rest.find('/');
    const Result<double> value = parse_number(rest.substr(0, slash));
    const bool last = slash == std::string_view::npos;
    if (!value || last != (i == 2)) {
      reader.refuse(fmt::format("{}={}", option, text),
                    fmt::format("red/green/blue: {}=0.5/0.5/0.5", option));
    }
    out[i] = static_cast<float>(*value);
    if (!last) rest.remove_prefix(slash + 1);
  }
  return out;
}

Normalize read_normalize(const StepText& text, RecipeReader& reader) {
  static constexpr std::array<std::string_view, 2> kNames{"mean", "std"};
  static constexpr std::array<std::string_view, 1> kKnown{"imagenet"};
  const std::string allowed = "imagenet, or mean=r/g/b, std=r/g/b (of values 0..1)";
  if (!text.values.empty()) {
    if (text.values.size() > 1 || !text.options.empty()) reader.refuse("more than one value", allowed);
    if (text.values[0] != "imagenet") {
      reader.refuse(fmt::format("'{}'", text.values[0]), allowed, did_you_mean(text.values[0], kKnown));
    }
    return kImagenetStatistics;
  }
  const std::optional<std::string_view> mean = reader.take("mean"), std = reader.take("std");
  reader.finish(kNames);
  if (!mean || !std) reader.refuse(mean ? "no std" : "no mean", allowed);
  return {read_triple(reader, "mean", *mean), read_triple(reader, "std", *std)};
}

template <class Enum>
std::optional<Enum> named(std::string_view text, Names names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

ArrayStep read_array(RecipeReader& reader) {
  static constexpr std::array<std::string_view, 1> kNames{"shape"};
  const std::optional<std::string_view> text = reader.take("shape");
  if (!text) reader.refuse("no shape", "the lengths of all axes: array(20x129x37)");
  ArrayStep step;
  for (const std::string_view length : split(*text, 'x')) {
    const std::optional<int> number = whole_number(length);
    if (!number || *number < 1) {
      reader.refuse(fmt::format("shape={}", *text),
                    "the lengths of all axes, each 1 or more: array(20x129x37)");
    }
    step.shape.push_back(static_cast<std::size_t>(*number));
  }
  reader.finish(kNames);
  return step;
}

// u8, nhwc in any order, or dtype=u8, layout=nhwc. `step` comes with the defaults.
TensorStep read_tensor(const StepText& text, const RecipeReader& reader, TensorStep step) {
  bool has_dtype = false, has_layout = false;
  const auto take = [&](std::string_view option, std::string_view value) {
    const bool any = option.empty();
    const auto dtype = named<DType>(value, kDtypeNames);
    const auto layout = named<Layout>(value, kLayoutNames);
    if (dtype && !has_dtype && (any || option == "dtype")) {
      step.dtype = *dtype;
      has_dtype = true;
    } else if (layout && !has_layout && (any || option == "layout")) {
      step.layout = *layout;
      has_layout = true;
    } else {
      static constexpr std::array<std::string_view, 6> kAll{"u8", "f16", "bf16", "f32", "nchw", "nhwc"};
      reader.refuse(any ? fmt::format("'{}'", value) : fmt::format("{}={}", option, value),
                    "one dtype of u8, f16, bf16, f32 and one layout of nchw, nhwc",
                    dtype || layout ? "" : did_you_mean(value, kAll));
    }
  };
  for (const std::string_view value : text.values) take({}, value);
  for (const auto& [option, value] : text.options) {
    static constexpr std::array<std::string_view, 2> kNames{"dtype", "layout"};
    if (std::find(kNames.begin(), kNames.end(), option) == kNames.end()) {
      reader.refuse(fmt::format("unknown option '{}'", option), "dtype, layout",
                    did_you_mean(option, kNames));
    }
    take(option, value);
  }
  return step;
}

std::vector<Step> imagenet_train(RecipeReader& reader) {
  static constexpr std::array<std::string_view, 2> kNames{"size", "filter"};
  RandomResizedCrop crop{.size = reader.size("size")};
  crop.filter = reader.filter("filter", crop.filter);
  reader.finish(kNames);
  return {crop, Flip{}, kImagenetStatistics};
}

std::vector<Step> imagenet_eval(RecipeReader& reader) {
  static constexpr std::array<std::string_view, 2> kNames{"size", "filter"};
  const int side = reader.whole("size", 1, kMaxSide * 224 / 256, 0);
  if (side == 0) reader.refuse("no size", "a side: imagenet_eval(224)");
  ResizeStep resize{.short_side = static_cast<int>(std::nearbyint(side * 256.0 / 224.0))};
  resize.filter = reader.filter("filter", resize.filter);
  reader.finish(kNames);
  return {resize, CenterCrop{{side, side}}, kImagenetStatistics};
}

// `so_far`: the steps in front, which decide what tensor() leaves open.
std::vector<Step> read_step(const StepText& text, const std::vector<Step>& so_far) {
  RecipeReader reader(text);
  if (text.name == "random_resized_crop") return {read_random_resized_crop(reader)};
  if (text.name == "resize") return {read_resize(reader)};
  if (text.name == "center_crop") return {read_center_crop(reader)};
  if (text.name == "random_crop") return {read_random_crop(reader)};
  if (text.name == "flip") return {read_flip(reader)};
  if (text.name == "normalize") return {read_normalize(text, reader)};
  if (text.name == "array") return {read_array(reader)};
  if (text.name == "tensor") return {read_tensor(text, reader, default_tensor(so_far))};
  if (text.name == "imagenet_train") return imagenet_train(reader);
  if (text.name == "imagenet_eval") return imagenet_eval(reader);
  reader.refuse_unknown(kStepNames);
}

}  // namespace

TensorStep default_tensor(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (std::holds_alternative<Normalize>(step) || std::holds_alternative<ArrayStep>(step)) {
      return {.dtype = DType::f32};
    }
  }
  return {};
}

std::vector<Step> read_steps(std::string_view text) {
  std::vector<Step> steps;
  for (const StepText& step_text : split_steps(text, kRecipeGrammar)) {
    for (Step& step : read_step(step_text, steps)) steps.push_back(step);
  }
  return steps;
}

}  // namespace stoker::image
