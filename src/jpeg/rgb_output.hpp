// Planes → RGB pixels, exactly as libjpeg-turbo makes them: triangle-filtered chroma, integer colour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

#include "jpeg/baseline_frame.hpp"
#include "jpeg/plane.hpp"

namespace stoker::jpeg {

struct RowKernels;

// How libjpeg-turbo brings one component to full size. Source: jdsample.c, jinit_upsampler with fancy
// upsampling on: box where no triangle filter exists, or the component is 2 samples wide or less.
enum class Upsampling { none, h2v1, h2v2, h1v2, box };
Upsampling upsampling_of(const BaselineFrame& frame, int component);

// How far beyond a region, in pixels, the planes must reach so that its pixels come out right: 0 where no
// component is filtered.
int upsampling_margin(const BaselineFrame& frame);

// begin() for a region, then its rows, in any order and as often as wanted; or write() for all of them.
// Threads: one at a time. Memory (a few rows) is kept between calls.
class RgbOutput {
 public:
  // `planes` hold the region and the margin around it, as far as the picture reaches. They are read, never
  // written, until the last rows(); samples beyond a component's true edge are not looked at: the edge is
  // repeated, as libjpeg has it.
  void begin(const BaselineFrame& frame, const std::array<Plane, 3>& planes, const Rect& region);

  // Writes `count` rows of the region from row `first` on (0: its top), `stride` bytes apart; not a byte
  // beyond a row's region.width × 3.
  void rows(int first, int count, std::uint8_t* rgb, std::size_t stride);

  // begin() and all rows.
  void write(const BaselineFrame& frame, const std::array<Plane, 3>& planes, const Rect& region,
             std::uint8_t* rgb, std::size_t stride);

  // Test hook: the scalar reference instead of SIMD, from the next begin() on; results are equal.
  void use_scalar_reference(bool scalar) { scalar_ = scalar; }

 private:
  // Where the rows of one component come from.
  struct Source {
    Plane plane;
    Upsampling upsampling = Upsampling::none;
    int h = 1, v = 1;                // pixels a sample
    int width = 0;                   // of the whole component, in samples
    int row_begin = 0, row_end = 0;  // samples that exist and are held; the edges are repeated
    int first = 0, count = 0;        // samples under the region
    std::size_t row = 0;             // its place in the memory below
    int box_row = -1;                // the row of samples that the upsampled row was made of
  };

  const std::uint8_t* upsampled(Source& source, int y);
  void double_columns(const Source& source, int near, int far, std::uint8_t* row);

  const RowKernels* kernels_ = nullptr;
  std::array<Source, 3> sources_;
  Rect region_;
  int components_ = 0;
  Colour colour_ = Colour::ycbcr;
  std::vector<std::uint8_t> rows_;  // upsampled, a row a component
  bool scalar_ = false;
};

}  // namespace stoker::jpeg
