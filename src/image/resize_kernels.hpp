// The two inner loops of a resize, once as plain C++ (the definition) and once as SIMD: the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/resize_axis.hpp"

namespace stoker::image {

// Bytes behind an output row of the horizontal pass that the SIMD loop may write.
inline constexpr std::size_t kRowSlack = 64;
// Rows that one call of the horizontal pass makes.
inline constexpr int kRowsAtOnce = 4;

// One step of a group of the plan that resize_grouped.hpp describes. Lane by lane: where the bytes of its
// four taps lie, and their weights in three signed bytes each.
struct alignas(64) GroupStep {
  std::uint32_t index[16];
  std::uint32_t d0[16];
  std::uint32_t d1[16];
  std::uint32_t d2[16];
};

// The horizontal pass's view of an axis, laid out for the loop in use. Made by plan_horizontal.
struct HorizontalPlan {
  const ResizeAxis* axis = nullptr;
  int source_x = 0;  // the pixel of the axis at which a source row begins
  // By pixels: pairs of taps of every output pixel, the last ones perhaps zero.
  int pairs = 0;
  std::vector<std::int32_t>
      offsets;  // byte in the source row of each output pixel's first tap; a multiple of 4 of them
  std::vector<std::int32_t> weights;  // pairs × (low, high) of each output pixel: see split_pair
  // By groups, where steps > 0: `offsets` is each group's.
  int steps = 0;
  bool wide = false;                  // a step of a group reaches beyond 64 bytes
  std::vector<GroupStep> groups;      // steps of each group
  std::vector<std::uint32_t> digits;  // scratch
};
// The vertical pass's weights of one output row.
struct VerticalTaps {
  int count = 0;
  const std::int32_t* weights = nullptr;
  const std::uint8_t* const* rows = nullptr;  // `count` of them
};

// Two weights in 16-bit halves, side by side in a 32-bit lane as the multiply-add wants them: weight = high *
// 65536 + low.
struct SplitPair {
  std::int32_t low;
  std::int32_t high;

  // The high halves as signed bytes in a 16-bit lane: they are small enough, unlike those of an arbitrary
  // number.
  std::int16_t high_bytes() const {
    return static_cast<std::int16_t>((high & 0xFF) | (high >> 16 & 0xFF) << 8);
  }
};
inline SplitPair split_pair(std::int32_t first, std::int32_t second) {
  const std::int32_t first_high = (first + 32768) >> 16, second_high = (second + 32768) >> 16;
  const auto join = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(a) & 0xFFFF) | static_cast<std::uint32_t>(b)
                                                                                    << 16);
  };
  return {join(first, second), join(first_high, second_high)};
}

namespace scalar {
// Makes an output row of the horizontal pass: 3 × axis.size() bytes from a row that begins with pixel
// `source_x`.
void horizontal_row(const ResizeAxis& axis, int source_x, const std::uint8_t* source, std::uint8_t* out);
// Makes `bytes` bytes of an output row from the rows of its taps.
void vertical_row(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out);
// vertical_row in instalments: sums[x] += row[x] * weight, and at the end sums → bytes.
void add_row(const std::uint8_t* row, std::int32_t weight, std::size_t bytes, std::int32_t* sums);
void finish_row(const std::int32_t* sums, std::size_t bytes, std::uint8_t* out);
}  // namespace scalar

// Lays out `axis` for horizontal_rows_simd, for source rows that begin with pixel `source_x`. Returns how
// many bytes behind a source row's beginning must be readable.
std::size_t plan_horizontal(const ResizeAxis& axis, int source_x, HorizontalPlan& plan);
// As scalar::horizontal_row for kRowsAtOnce rows, which may be the same ones. Behind each output row
// kRowSlack bytes must be writable; they are clobbered.
void horizontal_rows_simd(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                          std::uint8_t* const* outs);
// As scalar::vertical_row. Reads and writes nothing outside of the `bytes` bytes of each row.
void vertical_row_simd(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out);

}  // namespace stoker::image
