// The loops without SIMD.
#include "jpeg/rgb_kernels.hpp"

#include <algorithm>

namespace stoker::jpeg {

namespace {

void blend(const std::uint8_t* near, const std::uint8_t* far, std::size_t count, std::uint16_t rounding,
           std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint8_t>((3 * near[i] + far[i] + rounding) / 4);
  }
}

void double_columns(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                    PairRounding rounding, std::uint8_t* out) {
  int left = 3 * near[-1] + far[-1], sum = 3 * near[0] + far[0];
  for (std::size_t i = 0; i < count; ++i) {
    const int right = 3 * near[i + 1] + far[i + 1];
    out[2 * i] = static_cast<std::uint8_t>((3 * sum + left + rounding.even) / 16);
    out[2 * i + 1] = static_cast<std::uint8_t>((3 * sum + right + rounding.odd) / 16);
    left = sum;
    sum = right;
  }
}

// 16 bits of fraction. Source: libjpeg's jdcolor.c, build_ycc_rgb_table.
constexpr int fix(double factor) { return static_cast<int>(factor * 65536 + 0.5); }
constexpr int kHalf = 1 << 15;

std::uint8_t clipped(int value) { return static_cast<std::uint8_t>(std::clamp(value, 0, 255)); }

void ycbcr_to_rgb(const std::uint8_t* const* channels, std::size_t count, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < count; ++i) {
    const int y = channels[0][i], cb = channels[1][i] - 128, cr = channels[2][i] - 128;
    *rgb++ = clipped(y + ((fix(1.40200) * cr + kHalf) >> 16));
    *rgb++ = clipped(y + ((-fix(0.34414) * cb - fix(0.71414) * cr + kHalf) >> 16));
    *rgb++ = clipped(y + ((fix(1.77200) * cb + kHalf) >> 16));
  }
}

void interleave(const std::uint8_t* const* channels, std::size_t count, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int channel = 0; channel < 3; ++channel) *rgb++ = channels[channel][i];
  }
}

}  // namespace

const RowKernels& scalar_row_kernels() {
  static constexpr RowKernels kKernels{blend, double_columns, ycbcr_to_rgb, interleave};
  return kKernels;
}

}  // namespace stoker::jpeg
