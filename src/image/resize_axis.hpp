// One direction of a resize: which source pixels each output pixel is made of, and with which weights.
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

namespace stoker::image {

// Fraction bits of a weight; the weights of one output pixel add up to about 1 << kWeightBits.
// Source: Pillow's Resample.c: 32 bits less 8 of the pixel and 2 for sums beyond 255.
inline constexpr int kWeightBits = 32 - 8 - 2;

// Output pixels [begin, end) of a resize of `source_size` pixels to `target_size`.
struct ResizeAxis {
  int source_size = 0, target_size = 0, begin = 0, end = 0;
  Filter filter = Filter::bilinear;
  int taps = 0;                          // the room that each output pixel has in `weights`
  int used_taps = 0;                     // the most that any output pixel needs
  int source_begin = 0, source_end = 0;  // the source pixels that any of them needs
  std::vector<int> first;                // first source pixel of output pixel begin + i
  std::vector<int> count;                // how many it has, 1..used_taps
  std::vector<std::int32_t> weights;     // Shape: (end - begin) × taps; behind `count` zeros

  int size() const { return end - begin; }
  const std::int32_t* weights_of(int i) const { return weights.data() + static_cast<std::size_t>(i) * taps; }
};

// Source pixels that output pixel `index` depends on: what ResizeAxis::first and count would hold.
struct TapRange {
  int first = 0;
  int count = 0;
};
TapRange tap_range(int source_size, int target_size, int index, Filter filter);

// Fills `axis`, reusing its memory. Sizes are positive and 0 <= begin < end <= target_size.
// Cost: about 10 ns a tap.
void make_resize_axis(int source_size, int target_size, int begin, int end, Filter filter, ResizeAxis& axis);

}  // namespace stoker::image
