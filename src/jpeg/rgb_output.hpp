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

// How libjpeg-turbo brings one component to full size. Source: jdsample.c, jinit_upsampler with fancy
// upsampling on: box where no triangle filter exists, or the component is 2 samples wide or less.
enum class Upsampling { none, h2v1, h2v2, h1v2, box };
Upsampling upsampling_of(const BaselineFrame& frame, int component);

// How far beyond a region, in pixels, the planes must reach so that its pixels come out right: 0 where no
// component is filtered.
int upsampling_margin(const BaselineFrame& frame);

// Threads: one at a time. Memory (a few rows) is kept between calls.
class RgbOutput {
 public:
  // Writes the pixels of `region` of the picture, rows `stride` bytes apart; not a byte beyond a row's
  // region.width × 3. `planes` hold the region and the margin around it, as far as the picture reaches;
  // samples beyond a component's true edge are overwritten by copies of the edge, as libjpeg has them.
  void write(const BaselineFrame& frame, const std::array<Plane, 3>& planes, const Rect& region,
             std::uint8_t* rgb, std::size_t stride);

  // Test hook: the scalar reference instead of SIMD; results are equal.
  void use_scalar_reference(bool scalar) { scalar_ = scalar; }

 private:
  std::vector<std::uint8_t> rows_;  // upsampled chroma
  bool scalar_ = false;
};

}  // namespace stoker::jpeg
