// The geometry of one direction of a resize in double precision, operation by operation as Pillow has it.
#pragma once

#include <algorithm>
#include <cmath>

#include "image/resize_axis.hpp"

namespace stoker::image {

// Every operation, its type and its order, decides the last bit of a weight. Files that compute with this are
// compiled without contraction to fused multiply-add (see CMakeLists.txt), which would round differently.
struct ResizeScale {
  double scale, filter_scale, support, inverse;
  int source_size;

  // The source size goes through single precision because Pillow keeps its box so; it rounds beyond 2^24.
  ResizeScale(int source, int target, Filter filter)
      : scale(static_cast<double>(static_cast<float>(source)) / target),
        filter_scale(std::max(scale, 1.0)),
        support((filter == Filter::bilinear ? 1.0 : 2.0) * filter_scale),
        inverse(1.0 / filter_scale),
        source_size(source) {}

  double center(int index) const { return (index + 0.5) * scale; }
  TapRange range(double center) const {
    const int first = static_cast<int>(std::max(0.0, center - support + 0.5));
    const int end = static_cast<int>(std::min<double>(source_size, center + support + 0.5));
    return {first, end - first};
  }
  int most_taps() const {
    return static_cast<int>(std::min<double>(source_size, std::ceil(support) * 2 + 1));
  }
};

inline constexpr double kCubicA = -0.5;  // of Keys' cubic

}  // namespace stoker::image
