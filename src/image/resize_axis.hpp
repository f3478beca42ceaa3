// One direction of a resize: which source pixels each output pixel is made of, and with which weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

namespace stoker::image {

// Fraction bits of a weight; the weights of one output pixel add up to about 1 << kWeightBits.
// Source: Pillow's Resample.c: 32 bits less 8 of the pixel and 2 for sums beyond 255.
inline constexpr int kWeightBits = 32 - 8 - 2;

// Source pixels [first, first + count), count >= 1, that an output pixel depends on.
struct TapRange {
  int first = 0;
  int count = 0;
};

// Output pixels [begin, end) of a resize of `source_size` pixels to `target_size`.
struct ResizeAxis {
  int source_size = 0, target_size = 0, begin = 0, end = 0;
  Filter filter = Filter::bilinear;
  int used_taps = 0;                     // the most that any output pixel has
  int source_begin = 0, source_end = 0;  // the source pixels that any of them needs
  std::size_t pitch = 0;                 // of `weights`; at least kLaneSlack more than size()
  std::vector<std::int32_t> first;       // first source pixel of output pixel begin + i
  std::vector<std::int32_t> count;       // how many it has, 1..used_taps
  // Weight of tap t of output pixel begin + i at [t * pitch + i]; zero behind its taps. There are at least as
  // many rows as used_taps rounded up to a multiple of 4. What stands behind size() means nothing.
  std::vector<std::int32_t> weights;
  std::vector<double> scratch;  // real weights of a vector of outputs

  static constexpr std::size_t kLaneSlack = 16;

  int size() const { return end - begin; }
  std::int32_t weight(int i, int tap) const {
    return weights[static_cast<std::size_t>(tap) * pitch + static_cast<std::size_t>(i)];
  }
};

// What ResizeAxis::first and count hold for output pixel `index`.
TapRange tap_range(int source_size, int target_size, int index, Filter filter);

// Fills `axis`, reusing its memory. Sizes are positive and 0 <= begin < end <= target_size.
// Cost: about 4 µs for 224 output pixels of up to 6 taps.
void make_resize_axis(int source_size, int target_size, int begin, int end, Filter filter, ResizeAxis& axis);
// The same without SIMD: the reference that make_resize_axis equals to the bit.
void make_resize_axis_scalar(int source_size, int target_size, int begin, int end, Filter filter,
                             ResizeAxis& axis);

}  // namespace stoker::image
