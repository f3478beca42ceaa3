#include "image/resize_kernels.hpp"

namespace stoker::image::scalar {

namespace {

std::uint8_t clip8(std::int32_t sum) {
  const std::int32_t value = sum >> kWeightBits;
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

}  // namespace

void horizontal_row(const ResizeAxis& axis, int source_x, const std::uint8_t* source, std::uint8_t* out) {
  for (int i = 0; i < axis.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::uint8_t* pixel = source + static_cast<std::ptrdiff_t>(axis.first[k] - source_x) * 3;
    std::int32_t red = kHalf, green = kHalf, blue = kHalf;
    for (int tap = 0; tap < axis.count[k]; ++tap, pixel += 3) {
      const std::int32_t weight = axis.weight(i, tap);
      red += pixel[0] * weight;
      green += pixel[1] * weight;
      blue += pixel[2] * weight;
    }
    *out++ = clip8(red);
    *out++ = clip8(green);
    *out++ = clip8(blue);
  }
}

void vertical_row(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out) {
  for (std::size_t x = 0; x < bytes; ++x) {
    std::int32_t sum = kHalf;
    for (int tap = 0; tap < taps.count; ++tap) sum += taps.rows[tap][x] * taps.weights[tap];
    out[x] = clip8(sum);
  }
}

void add_row(const std::uint8_t* row, std::int32_t weight, std::size_t bytes, std::int32_t* sums) {
  for (std::size_t x = 0; x < bytes; ++x) sums[x] += row[x] * weight;
}

void finish_row(const std::int32_t* sums, std::size_t bytes, std::uint8_t* out) {
  for (std::size_t x = 0; x < bytes; ++x) out[x] = clip8(sums[x] + kHalf);
}

}  // namespace stoker::image::scalar
