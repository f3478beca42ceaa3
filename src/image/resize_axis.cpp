#include "image/resize_axis.hpp"

#include <algorithm>
#include <cmath>

#include "image/resize_axis_kernels.hpp"
#include "image/resize_scale.hpp"

namespace stoker::image {

namespace {

// The widest window that the SIMD loop takes: it keeps the real weights of a vector of outputs.
constexpr int kMaxSimdTaps = 4096;

double bilinear(double x) {
  x = std::fabs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

double bicubic(double x) {
  x = std::fabs(x);
  if (x < 1.0) return ((kCubicA + 2.0) * x - (kCubicA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kCubicA;
  return 0.0;
}

std::int32_t to_fixed(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

// One output pixel's taps, computed when asked for.
class OutputWeights {
 public:
  OutputWeights(const ResizeScale& scale, int index, Filter filter)
      : filter_(filter), center_(scale.center(index)), inverse_(scale.inverse), range_(scale.range(center_)) {
    for (int tap = 0; tap < range_.count; ++tap) sum_ += real(tap);
  }

  const TapRange& range() const { return range_; }
  std::int32_t fixed(int tap) const { return to_fixed(sum_ != 0.0 ? real(tap) / sum_ : real(tap)); }

 private:
  double real(int tap) const {
    const double x = (tap + range_.first - center_ + 0.5) * inverse_;
    return filter_ == Filter::bilinear ? bilinear(x) : bicubic(x);
  }

  Filter filter_;
  double center_, inverse_;
  TapRange range_;
  double sum_ = 0.0;
};

// Weights of zero at both ends of a bilinear window are left out: those pixels do not contribute. (A bicubic
// window may have its zero inside, and is then cut by the picture's edge just there; so trimmed ends would
// not be monotone.)
void trim(ResizeAxis& axis, int i) {
  std::int32_t* weights = axis.weights.data() + i;
  std::int32_t& first = axis.first[static_cast<std::size_t>(i)];
  std::int32_t& count = axis.count[static_cast<std::size_t>(i)];
  const auto at = [&](std::int32_t tap) -> std::int32_t& {
    return weights[static_cast<std::size_t>(tap) * axis.pitch];
  };
  while (count > 1 && at(count - 1) == 0) --count;
  while (count > 1 && at(0) == 0) {
    for (std::int32_t tap = 0; tap + 1 < count; ++tap) at(tap) = at(tap + 1);
    at(--count) = 0;
    ++first;
  }
}

// Sizes of all of the axis's arrays; the weights are not cleared.
int lay_out(const ResizeScale& scale, int target_size, int begin, int end, Filter filter, ResizeAxis& axis) {
  const int rows = (scale.most_taps() + 3) / 4 * 4;
  axis.source_size = scale.source_size;
  axis.target_size = target_size;
  axis.begin = begin;
  axis.end = end;
  axis.filter = filter;
  axis.pitch = (static_cast<std::size_t>(end - begin) + 15) / 16 * 16 + ResizeAxis::kLaneSlack;
  axis.first.resize(axis.pitch);
  axis.count.resize(axis.pitch);
  axis.weights.resize(axis.pitch * static_cast<std::size_t>(rows));
  return rows;
}

void finish(ResizeAxis& axis) {
  axis.used_taps = 1;
  axis.source_begin = axis.source_size;
  axis.source_end = 0;
  for (int i = 0; i < axis.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (axis.filter == Filter::bilinear &&
        (axis.weight(i, 0) == 0 || axis.weight(i, axis.count[k] - 1) == 0)) {
      trim(axis, i);
    }
    axis.used_taps = std::max(axis.used_taps, axis.count[k]);
    axis.source_begin = std::min(axis.source_begin, axis.first[k]);
    axis.source_end = std::max(axis.source_end, axis.first[k] + axis.count[k]);
  }
}

}  // namespace

TapRange tap_range(int source_size, int target_size, int index, Filter filter) {
  const OutputWeights weights(ResizeScale(source_size, target_size, filter), index, filter);
  TapRange range = weights.range();
  if (filter == Filter::bicubic) return range;
  int tap = 0;
  while (range.count > 1 && weights.fixed(tap + range.count - 1) == 0) --range.count;
  for (; range.count > 1 && weights.fixed(tap) == 0; ++tap) {
    --range.count;
    ++range.first;
  }
  return range;
}

void make_resize_axis_scalar(int source_size, int target_size, int begin, int end, Filter filter,
                             ResizeAxis& axis) {
  const ResizeScale scale(source_size, target_size, filter);
  lay_out(scale, target_size, begin, end, filter, axis);
  std::fill(axis.weights.begin(), axis.weights.end(), 0);
  for (int i = 0; i < axis.size(); ++i) {
    const OutputWeights weights(scale, begin + i, filter);
    const auto k = static_cast<std::size_t>(i);
    axis.first[k] = weights.range().first;
    axis.count[k] = weights.range().count;
    for (int tap = 0; tap < axis.count[k]; ++tap) {
      axis.weights[static_cast<std::size_t>(tap) * axis.pitch + k] = weights.fixed(tap);
    }
  }
  finish(axis);
}

void make_resize_axis(int source_size, int target_size, int begin, int end, Filter filter, ResizeAxis& axis) {
  const ResizeScale scale(source_size, target_size, filter);
  if (scale.most_taps() > kMaxSimdTaps) {
    return make_resize_axis_scalar(source_size, target_size, begin, end, filter, axis);
  }
  const int rows = lay_out(scale, target_size, begin, end, filter, axis);
  fill_weights_simd(scale, rows, axis);
  finish(axis);
}

}  // namespace stoker::image
