// One direction of a plane's resize in 16-bit weights, computed in single precision: PixelMode::fast's
// counterpart of resize_axis.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

namespace stoker::image {

// One direction of a crop, and how the samples of a plane lie over its pixels.
struct PlanarSource {
  int begin = 0, length = 0;  // of the crop, pixels
  int pixels = 1;             // a sample: its subsampling times what a smaller inverse transform leaves out
  int samples = 0;            // of the whole plane
  // The exact route would upsample by a triangle, where a pixel gets a quarter of its value from the next
  // nearest sample; else pixels repeat their sample.
  bool is_filtered = false;
  friend bool operator==(const PlanarSource&, const PlanarSource&) = default;
};

// Output pixels [begin, end) of a resize of a crop to `target_size` pixels, straight from samples: the weight
// of a sample is what all of its pixels would have together in the exact resize.
struct PlanarAxis {
  PlanarSource source;
  int target_size = 0, begin = 0, end = 0;
  Filter filter = Filter::bilinear;
  int bits = 0;                          // fraction bits of a weight; none exceeds 32767, or is much above 1
  int used_taps = 0;                     // the most that any output pixel has
  int source_begin = 0, source_end = 0;  // the plane's samples that any of them needs
  std::size_t pitch = 0;                 // of `weights`; a multiple of kUnit
  std::vector<std::int32_t> first;       // first sample of output pixel begin + i, from source_begin on
  std::vector<std::int32_t> count;       // how many it has, 1..used_taps
  // Weight of tap t of output pixel begin + i at [t * pitch + i]; zero behind its taps. There are at least as
  // many rows as used_taps rounded up to a multiple of 4. What stands behind size() repeats the last pixel.
  std::vector<std::int16_t> weights;
  std::vector<float> scratch;  // real weights of a vector of outputs

  static constexpr std::size_t kUnit = 64;

  int size() const { return end - begin; }
  std::int16_t weight(int i, int tap) const {
    return weights[static_cast<std::size_t>(tap) * pitch + static_cast<std::size_t>(i)];
  }
};

// The most taps that an output pixel of such a resize may have.
int most_planar_taps(const PlanarSource& source, int target_size, Filter filter);

// Fills `axis`, reusing its memory; one that is filled so already stays as it is. The same values on every
// instruction set. Cost: less than 1 µs for 224 output pixels of up to 4 taps.
void make_planar_axis(const PlanarSource& source, int target_size, int begin, int end, Filter filter,
                      int bits, PlanarAxis& axis);
// The reference without SIMD.
void make_planar_axis_scalar(const PlanarSource& source, int target_size, int begin, int end, Filter filter,
                             int bits, PlanarAxis& axis);

}  // namespace stoker::image
