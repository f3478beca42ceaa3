// Pillow's antialiased resize, to the byte: 22-bit weights, two passes, 8 bits between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

namespace stoker::image {

// RGB pixels in somebody else's memory. Shape: height rows of width × 3 bytes, `stride` bytes apart.
struct RgbView {
  const std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0;
};
struct MutableRgbView {
  std::uint8_t* data = nullptr;
  int width = 0;
  int height = 0;
  std::size_t stride = 0;
};

// Which part of a picture of size `from` the pixels `window` of its resize to `to` depend on.
Rect needed_source(Size from, Size to, const Rect& window, Filter filter);

// Resizes with memory of its own, reused between calls. Threads: one at a time.
class Resizer {
 public:
  // Writes the pixels `window` of the resize of a picture of size `from` to size `to` into `out` (window-sized).
  // `source` holds the part `source_rect` of that picture, which must contain needed_source(from, to, window, filter).
  // `window` lies inside `to`.
  void resize(const RgbView& source, const Rect& source_rect, Size from, Size to, const Rect& window, Filter filter,
              const MutableRgbView& out);

  // Test hook: the scalar reference instead of SIMD; results are equal.
  void use_scalar_reference(bool scalar) { scalar_ = scalar; }

 private:
  struct Axis {
    std::vector<int> first;              // first source pixel of each output pixel
    std::vector<int> count;              // how many
    std::vector<std::int32_t> weights;   // taps apart, fixed point
    int taps = 0;
    int source_size = 0, target_size = 0, begin = 0, end = 0;  // what it was made for
    Filter filter = Filter::bilinear;
  };
  static void make_axis(int source_size, int target_size, int begin, int end, Filter filter, Axis& axis);

  Axis horizontal_, vertical_;
  std::vector<std::uint8_t> between_;
  bool scalar_ = false;
};

}  // namespace stoker::image
