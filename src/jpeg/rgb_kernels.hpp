// The loops over one row that RgbOutput is made of: see there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::jpeg {

// Rounding of the even and the odd pixel (or row) that a triangle filter makes of a sample. libjpeg lets them
// differ, so that no brightness is gained on average.
struct PairRounding {
  std::uint16_t even, odd;
};

// Inputs are read up to kRowSlack bytes beyond the last one used, which for double_columns() is the one after
// `count`; it looks at one before the first, too. Rows other than RGB are written up to 2 × kRowSlack beyond.
inline constexpr std::size_t kRowSlack = 64;

struct RowKernels {
  // out[i] = (s[i] + rounding) / 4, where s = 3 near + far
  void (*blend)(const std::uint8_t* near, const std::uint8_t* far, std::size_t count, std::uint16_t rounding,
                std::uint8_t* out);
  // out[2 i] = (3 s[i] + s[i - 1] + even) / 16, out[2 i + 1] = (3 s[i] + s[i + 1] + odd) / 16
  void (*double_columns)(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                         PairRounding rounding, std::uint8_t* out);
  // Three channels → count × 3 bytes, and not one more.
  void (*ycbcr_to_rgb)(const std::uint8_t* const* channels, std::size_t count, std::uint8_t* rgb);
  void (*interleave)(const std::uint8_t* const* channels, std::size_t count, std::uint8_t* rgb);
};

const RowKernels& scalar_row_kernels();
const RowKernels& simd_row_kernels();  // the best of this processor

}  // namespace stoker::jpeg
