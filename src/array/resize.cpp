#include "array/resize.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace stoker::array {

namespace {

// Resizes the middle axis of an array [outer, from, inner] to [outer, to, inner].
void resize_axis(std::span<const float> in, std::size_t outer, std::size_t from, std::size_t inner,
                 std::size_t to, std::span<float> out) {
  for (std::size_t i = 0; i < to; ++i) {
    const double exact = (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to);
    const double place = std::clamp(exact - 0.5, 0.0, static_cast<double>(from - 1));
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, from - 1);
    const auto share = static_cast<float>(place - static_cast<double>(low));
    for (std::size_t o = 0; o < outer; ++o) {
      const float* a = in.data() + (o * from + low) * inner;
      const float* b = in.data() + (o * from + high) * inner;
      float* target = out.data() + (o * to + i) * inner;
      for (std::size_t n = 0; n < inner; ++n) target[n] = a[n] * (1 - share) + b[n] * share;
    }
  }
}

}  // namespace

Resize::Resize(std::vector<std::size_t> lengths, std::optional<StoredType> dtype)
    : lengths_(std::move(lengths)), dtype_(dtype) {}

std::string Resize::to_string() const {
  const std::string dtype = dtype_ ? fmt::format(", dtype={}", array::to_string(*dtype_)) : "";
  return fmt::format("resize({}={}{})", lengths_.size() == 1 ? "length" : "shape", fmt::join(lengths_, "x"),
                     dtype);
}

Result<Shape> Resize::output_shape(const Shape& input) const {
  const auto empty = [](std::size_t length) { return length == 0; };
  if (input.size() < lengths_.size() || std::any_of(input.begin(), input.end(), empty)) {
    return fail(ErrorCode::unsupported, {.operation = "transform array",
                                         .object = to_string(),
                                         .found = fmt::format("an array of {}", array::to_string(input)),
                                         .allowed = lengths_.size() == 1 ? "one axis or more, none empty"
                                                                         : "two axes or more, none empty"});
  }
  Shape output = input;
  std::copy(lengths_.begin(), lengths_.end(), output.end() - static_cast<std::ptrdiff_t>(lengths_.size()));
  return output;
}

void Resize::run(const Shape& shape, std::span<const float> in, std::span<float> out) {
  const std::size_t last = shape.back();
  if (lengths_.size() == 1) return resize_axis(in, in.size() / last, last, 1, lengths_[0], out);
  const std::size_t rows = shape[shape.size() - 2], outer = in.size() / last / rows;
  between_.resize(outer * rows * lengths_[1]);
  resize_axis(in, outer * rows, last, 1, lengths_[1], between_);
  resize_axis(between_, outer, rows, lengths_[1], lengths_[0], out);
}

}  // namespace stoker::array
