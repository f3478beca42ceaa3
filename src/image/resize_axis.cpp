#include "image/resize_axis.hpp"

#include <algorithm>
#include <cmath>

namespace stoker::image {

namespace {

// Every operation below, its type and its order, decides the last bit of a weight: they are Pillow's. The
// file is compiled without contraction to fused multiply-add (see CMakeLists.txt), which would round
// differently.

double bilinear(double x) {
  x = std::fabs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

// Keys' cubic with a = -0.5.
double bicubic(double x) {
  constexpr double kA = -0.5;
  x = std::fabs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0.0;
}

std::int32_t to_fixed(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

// The geometry of one axis. Pillow keeps the box in single precision, which rounds sizes beyond 2^24.
struct Scale {
  double scale, filter_scale, support;
  int source_size;

  Scale(int source, int target, Filter filter)
      : scale(static_cast<double>(static_cast<float>(source)) / target),
        filter_scale(std::max(scale, 1.0)),
        support((filter == Filter::bilinear ? 1.0 : 2.0) * filter_scale),
        source_size(source) {}

  double center(int index) const { return (index + 0.5) * scale; }
  TapRange range(double center) const {
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(source_size, static_cast<int>(center + support + 0.5));
    return {first, end - first};
  }
  int most_taps() const { return static_cast<int>(std::ceil(support)) * 2 + 1; }
};

// Fixed-point weights of one output pixel into `out`; `real` is scratch for as many doubles.
template <double (*kFilter)(double)>
void weigh(const TapRange& range, double center, double inverse_scale, double* real, std::int32_t* out) {
  double sum = 0.0;
  for (int i = 0; i < range.count; ++i) {
    real[i] = kFilter((i + range.first - center + 0.5) * inverse_scale);
    sum += real[i];
  }
  for (int i = 0; i < range.count; ++i) out[i] = to_fixed(sum != 0.0 ? real[i] / sum : real[i]);
}

// Leaves out weights of zero at both ends of a bilinear window: those pixels do not contribute. (A bicubic
// window may have its zero inside, and is then cut by the picture's edge just there; so trimmed ends would
// not be monotone.)
TapRange trim(TapRange range, std::int32_t* weights) {
  int begin = 0, end = range.count;
  while (end > 1 && weights[end - 1] == 0) --end;
  while (begin + 1 < end && weights[begin] == 0) ++begin;
  if (begin > 0) {
    std::copy(weights + begin, weights + end, weights);
    std::fill(weights + (end - begin), weights + end, 0);
  }
  return {range.first + begin, end - begin};
}

TapRange fill_weights(const Scale& scale, int index, Filter filter, double* real, std::int32_t* out) {
  const double center = scale.center(index);
  const double inverse = 1.0 / scale.filter_scale;
  const TapRange range = scale.range(center);
  if (filter == Filter::bicubic) {
    weigh<bicubic>(range, center, inverse, real, out);
    return range;
  }
  weigh<bilinear>(range, center, inverse, real, out);
  return trim(range, out);
}

}  // namespace

TapRange tap_range(int source_size, int target_size, int index, Filter filter) {
  const Scale scale(source_size, target_size, filter);
  thread_local std::vector<double> real;
  thread_local std::vector<std::int32_t> fixed;
  const auto taps = static_cast<std::size_t>(scale.most_taps());
  if (real.size() < taps) {
    real.resize(taps);
    fixed.resize(taps);
  }
  return fill_weights(scale, index, filter, real.data(), fixed.data());
}

void make_resize_axis(int source_size, int target_size, int begin, int end, Filter filter, ResizeAxis& axis) {
  const Scale scale(source_size, target_size, filter);
  const auto size = static_cast<std::size_t>(end - begin);
  const auto room = static_cast<std::size_t>(scale.most_taps());
  thread_local std::vector<double> real;
  if (real.size() < room) real.resize(room);
  axis.source_size = source_size;
  axis.target_size = target_size;
  axis.begin = begin;
  axis.end = end;
  axis.filter = filter;
  axis.taps = static_cast<int>(room);
  axis.first.resize(size);
  axis.count.resize(size);
  axis.weights.assign(size * room, 0);
  int most = 1;
  axis.source_begin = source_size;
  axis.source_end = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const TapRange range =
        fill_weights(scale, begin + static_cast<int>(i), filter, real.data(), axis.weights.data() + i * room);
    axis.first[i] = range.first;
    axis.count[i] = range.count;
    most = std::max(most, range.count);
    axis.source_begin = std::min(axis.source_begin, range.first);
    axis.source_end = std::max(axis.source_end, range.first + range.count);
  }
  axis.used_taps = most;
}

}  // namespace stoker::image
