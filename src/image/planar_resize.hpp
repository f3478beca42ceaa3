// Component planes → RGB pixels of the target size: each plane is resized from its own resolution, colours
// are made at the end. PixelMode::fast's counterpart of resize.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stoker/image.hpp"

#include "image/planar_axis.hpp"
#include "image/planar_kernels.hpp"
#include "image/resize.hpp"
#include "jpeg/baseline_frame.hpp"
#include "jpeg/idct.hpp"
#include "jpeg/plane.hpp"

namespace stoker::image {

// The smaller inverse transforms that a resize of `crop` to `target` allows: of each component the smallest
// whose part of the crop is still a quarter larger than the target in both directions.
std::array<jpeg::BlockSize, 3> planar_sizes(const jpeg::BaselineFrame& frame, const Rect& crop, Size target);

// One picture: prepare(), then write(). Threads: one at a time. Memory (weights, a few rows) is kept.
class PlanarResizer {
 public:
  // What of the picture is to be decoded for the pixels `visible` of the resize of `crop` to `target`; empty
  // where the resize is beyond what 16 bits are good for (more than kMaxTaps samples a pixel, or a result
  // wider or higher than kMaxSide), and is to be made in full precision.
  static constexpr int kMaxTaps = 64, kMaxSide = 4096;
  Rect prepare(const jpeg::BaselineFrame& frame, const std::array<jpeg::BlockSize, 3>& sizes,
               const Rect& crop, Size target, const Rect& visible, Filter filter);

  // Writes what prepare() was asked for, from planes of these sizes that hold the region that it gave.
  void write(const std::array<jpeg::Plane, 3>& planes, const MutableRgbView& out);

  // Test hook: the scalar reference instead of SIMD; results are equal.
  void use_scalar_reference(bool scalar) { scalar_ = scalar; }

 private:
  // How one component is resized. Components that lie alike share their axes.
  struct Channel {
    PlanarAxis across, down;
    PlanarPlan plan;
    const Channel* like = nullptr;  // whose axes are used
    std::int16_t* row = nullptr;    // behind the vertical pass
    std::int16_t* ring = nullptr;   // rows behind the horizontal pass
    int rows = 0;                   // of the ring
    int made = 0;                   // rows before this one went through it
    int bias = 0;
  };
  static Rect pixels_of(const jpeg::BaselineFrame& frame, const PlanarAxis& across, const PlanarAxis& down);
  void make_rows(Channel& channel, const jpeg::Plane& plane, int end);
  PlanarTaps taps_of(const Channel& channel, int i);
  void begin_rows();

  std::array<Channel, 3> channels_;
  int components_ = 0;
  jpeg::Colour colour_ = jpeg::Colour::ycbcr;
  std::size_t pitch_ = 0;  // of rows in memory_
  std::vector<std::int16_t> memory_;
  std::array<const std::int16_t*, kMaxTaps> rows_{};  // of the output row in the making, and
  std::array<std::int16_t, kMaxTaps> weights_{};
  bool scalar_ = false;
};

}  // namespace stoker::image
