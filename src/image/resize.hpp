// Pillow's antialiased resize, to the byte: 22-bit weights, two passes, 8 bits between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

#include "image/resize_axis.hpp"
#include "image/resize_kernels.hpp"

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

// Which part of a picture of size `from` the pixels `window` of its resize to `to` depend on: from the first
// contributing pixel to the last, in both directions. `window` lies inside `to` and is not empty.
Rect needed_source(Size from, Size to, const Rect& window, Filter filter);

// Whether the vertical pass is the first of the two. Which is first shows in the last bit, or a little more.
// Source: Pillow 13.0 runs it first where the height shrinks by more than twice what the width shrinks by; up
// to Pillow 12 the horizontal pass always was the first.
bool vertical_pass_first(Size from, Size to);

// Resizes with memory of its own, reused between calls. Threads: one at a time.
class Resizer {
 public:
  // Writes the pixels `window` of the resize of a picture of size `from` to size `to` into `out`
  // (window-sized). `source` holds the part `source_rect` of that picture, which must contain
  // needed_source(from, to, window, filter). `window` lies inside `to`. Cost: its own memory is a few rows of
  // the window, whatever `from` is. Source: Pillow's ImagingResample: horizontal pass first, each pass left
  // out where it would not change the size.
  void resize(const RgbView& source, const Rect& source_rect, Size from, Size to, const Rect& window,
              Filter filter, const MutableRgbView& out);

  // Test hook: the scalar reference instead of SIMD; results are equal.
  void use_scalar_reference(bool scalar) { scalar_ = scalar; }

 private:
  class Job;

  ResizeAxis horizontal_, vertical_;
  HorizontalPlan plan_;
  std::vector<std::uint8_t> between_;  // a ring of rows that went through the horizontal pass
  std::vector<std::uint8_t> padded_;   // copies of the last source rows, behind which no slack is readable
  std::vector<const std::uint8_t*> rows_;  // and
  std::vector<std::int32_t> row_weights_;  // of the output row in the making
  std::vector<std::int32_t> sums_;
  bool scalar_ = false;
};

}  // namespace stoker::image
