// The operations on floats, their types and their order are the same in all forms, so that weights are the
// same bits everywhere; compiled without contraction to fused multiply-add (see CMakeLists.txt).
#include "image/planar_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/planar_axis.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef STOKER_PLANAR_SCALE
#define STOKER_PLANAR_SCALE
namespace stoker::image {

// Positions count from the box's first sample on, so that single precision is enough for them.
struct PlanarScale {
  int origin = 0;   // the first sample that the box touches
  float count = 0;  // samples that it touches
  float offset = 0, scale = 0, support = 0, inverse = 0;
  float one = 0;      // a weight of 1
  float largest = 0;  // that a weight may be

  PlanarScale(const PlanarBox& box, int target_size, Filter filter, int bits) {
    const double step = box.length / target_size, stretch = std::max(step, 1.0);
    origin = static_cast<int>(box.begin);
    count = static_cast<float>(std::ceil(box.begin + box.length)) - static_cast<float>(origin);
    offset = static_cast<float>(box.begin - origin);
    scale = static_cast<float>(step);
    support = static_cast<float>((filter == Filter::bilinear ? 1.0 : 2.0) * stretch);
    inverse = static_cast<float>(1.0 / stretch);
    one = static_cast<float>(1 << bits);
    // The cubic's weights beside an edge reach 1.13 (0.72 and -0.07 of two samples, made to add up to 1).
    constexpr float kMostOfOne = 1.9F;
    largest = std::min<float>(one * kMostOfOne, std::numeric_limits<std::int16_t>::max());
  }
};

inline constexpr float kPlanarCubicA = -0.5F;  // of Keys' cubic
// Makes weights positive while they are rounded.
inline constexpr float kPlanarBias = 32768.5F;

}  // namespace stoker::image
#endif

HWY_BEFORE_NAMESPACE();
namespace stoker::image::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DW = hn::Rebind<std::int16_t, DF>;
using VF = hn::Vec<DF>;

HWY_INLINE VF bilinear(VF x) {
  const DF d;
  return hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1.0F), hn::Abs(x)));
}

HWY_INLINE VF bicubic(VF signed_x) {
  const DF d;
  const VF x = hn::Abs(signed_x);
  const VF steep = hn::Sub(hn::Mul(hn::Set(d, kPlanarCubicA + 2.0F), x), hn::Set(d, kPlanarCubicA + 3.0F));
  const VF near = hn::Add(hn::Mul(hn::Mul(steep, x), x), hn::Set(d, 1.0F));
  const VF inner = hn::Add(hn::Mul(hn::Sub(x, hn::Set(d, 5.0F)), x), hn::Set(d, 8.0F));
  const VF far = hn::Mul(hn::Sub(hn::Mul(inner, x), hn::Set(d, 4.0F)), hn::Set(d, kPlanarCubicA));
  const VF outside = hn::IfThenElseZero(hn::Lt(x, hn::Set(d, 2.0F)), far);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0F)), near, outside);
}

template <bool kCubic>
void fill(const PlanarScale& scale, int rows, PlanarAxis& axis) {
  const DF d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  axis.scratch.resize(static_cast<std::size_t>(rows) * lanes);
  const VF half = hn::Set(d, 0.5F), support = hn::Set(d, scale.support), one = hn::Set(d, scale.one);
  const VF last = hn::Set(d, static_cast<float>(axis.end - 1)), bias = hn::Set(d, kPlanarBias);
  for (std::size_t i = 0; i < axis.pitch; i += lanes) {
    const VF index = hn::Min(last, hn::Iota(d, static_cast<float>(axis.begin) + static_cast<float>(i)));
    const VF center =
        hn::Add(hn::Mul(hn::Add(index, half), hn::Set(d, scale.scale)), hn::Set(d, scale.offset));
    const auto begin = hn::ConvertTo(di, hn::Max(hn::Zero(d), hn::Add(hn::Sub(center, support), half)));
    const auto end =
        hn::ConvertTo(di, hn::Min(hn::Set(d, scale.count), hn::Add(hn::Add(center, support), half)));
    const auto count = hn::Sub(end, begin);
    hn::StoreU(begin, di, axis.first.data() + i);
    hn::StoreU(count, di, axis.count.data() + i);
    const int most = *std::max_element(axis.count.data() + i, axis.count.data() + i + lanes);
    const VF taps = hn::ConvertTo(d, count);
    const VF from = hn::Sub(hn::ConvertTo(d, begin), center);
    VF sum = hn::Zero(d);
    for (int tap = 0; tap < most; ++tap) {
      const VF t = hn::Set(d, static_cast<float>(tap));
      const VF x = hn::Mul(hn::Add(hn::Add(t, from), half), hn::Set(d, scale.inverse));
      const VF weight = hn::IfThenElseZero(hn::Lt(t, taps), kCubic ? bicubic(x) : bilinear(x));
      sum = hn::Add(sum, weight);
      hn::StoreU(weight, d, axis.scratch.data() + static_cast<std::size_t>(tap) * lanes);
    }
    const VF factor = hn::Div(one, sum);
    std::int16_t* out = axis.weights.data() + i;
    for (int tap = 0; tap < most; ++tap, out += axis.pitch) {
      const VF weight = hn::LoadU(d, axis.scratch.data() + static_cast<std::size_t>(tap) * lanes);
      const VF scaled = hn::Min(hn::Mul(weight, factor), hn::Set(d, scale.largest));
      const auto fixed = hn::Sub(hn::ConvertTo(di, hn::Add(scaled, bias)), hn::Set(di, 32768));
      hn::StoreU(hn::DemoteTo(DW(), fixed), DW(), out);
    }
    for (int tap = most; tap < rows; ++tap, out += axis.pitch) hn::StoreU(hn::Zero(DW()), DW(), out);
  }
}

void fill_planar(const PlanarScale& scale, int rows, PlanarAxis& axis) {
  if (axis.filter == Filter::bicubic) {
    fill<true>(scale, rows, axis);
  } else {
    fill<false>(scale, rows, axis);
  }
}

}  // namespace stoker::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

HWY_EXPORT(fill_planar);

namespace {

float weight_at(float x, Filter filter) {
  x = std::abs(x);
  if (filter == Filter::bilinear) return std::max(0.0F, 1.0F - x);
  constexpr float a = kPlanarCubicA;
  if (x < 1.0F) return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F;
  if (x < 2.0F) return (((x - 5.0F) * x + 8.0F) * x - 4.0F) * a;
  return 0.0F;
}

void fill_scalar(const PlanarScale& scale, int rows, PlanarAxis& axis) {
  axis.scratch.resize(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < axis.pitch; ++i) {
    const float index =
        std::min(static_cast<float>(axis.end - 1), static_cast<float>(axis.begin) + static_cast<float>(i));
    const float center = (index + 0.5F) * scale.scale + scale.offset;
    const int first = static_cast<int>(std::max(0.0F, center - scale.support + 0.5F));
    const int count = static_cast<int>(std::min(scale.count, center + scale.support + 0.5F)) - first;
    axis.first[i] = first;
    axis.count[i] = count;
    const float from = static_cast<float>(first) - center;
    float sum = 0;
    for (int tap = 0; tap < count; ++tap) {
      const float weight = weight_at((static_cast<float>(tap) + from + 0.5F) * scale.inverse, axis.filter);
      sum += weight;
      axis.scratch[static_cast<std::size_t>(tap)] = weight;
    }
    const float factor = scale.one / sum;
    std::int16_t* out = axis.weights.data() + i;
    for (int tap = 0; tap < rows; ++tap, out += axis.pitch) {
      const float weight = tap < count ? axis.scratch[static_cast<std::size_t>(tap)] : 0.0F;
      const int fixed = static_cast<int>(std::min(weight * factor, scale.largest) + kPlanarBias) - 32768;
      *out = static_cast<std::int16_t>(fixed);
    }
  }
}

bool fits(const PlanarAxis& axis, const PlanarBox& box, int target_size, int begin, int end, Filter filter,
          int bits) {
  return axis.box == box && axis.target_size == target_size && axis.begin == begin && axis.end == end &&
         axis.filter == filter && axis.bits == bits;
}

void make(const PlanarBox& box, int target_size, int begin, int end, Filter filter, int bits, bool scalar,
          PlanarAxis& axis) {
  if (fits(axis, box, target_size, begin, end, filter, bits)) return;
  axis.box = box;
  axis.target_size = target_size;
  axis.begin = begin;
  axis.end = end;
  axis.filter = filter;
  axis.bits = bits;
  const auto size = static_cast<std::size_t>(axis.size());
  axis.pitch = (size + PlanarAxis::kUnit - 1) / PlanarAxis::kUnit * PlanarAxis::kUnit;
  const int rows = (most_planar_taps(box, target_size, filter) + 3) / 4 * 4;
  axis.first.resize(axis.pitch);
  axis.count.resize(axis.pitch);
  axis.weights.resize(static_cast<std::size_t>(rows) * axis.pitch);
  const PlanarScale scale(box, target_size, filter, bits);
  if (scalar) {
    fill_scalar(scale, rows, axis);
  } else {
    HWY_DYNAMIC_DISPATCH(fill_planar)(scale, rows, axis);
  }
  axis.used_taps = *std::max_element(axis.count.begin(), axis.count.end());
  const int base = axis.first[0];
  axis.source_begin = scale.origin + base;
  axis.source_end = scale.origin + axis.first[size - 1] + axis.count[size - 1];
  for (std::int32_t& first : axis.first) first -= base;
}

}  // namespace

int most_planar_taps(const PlanarBox& box, int target_size, Filter filter) {
  const double support = (filter == Filter::bilinear ? 1.0 : 2.0) * std::max(box.length / target_size, 1.0);
  return static_cast<int>(std::min(support, 1e6) * 2) + 2;
}

void make_planar_axis(const PlanarBox& box, int target_size, int begin, int end, Filter filter, int bits,
                      PlanarAxis& axis) {
  make(box, target_size, begin, end, filter, bits, false, axis);
}

void make_planar_axis_scalar(const PlanarBox& box, int target_size, int begin, int end, Filter filter,
                             int bits, PlanarAxis& axis) {
  make(box, target_size, begin, end, filter, bits, true, axis);
}

}  // namespace stoker::image
#endif
