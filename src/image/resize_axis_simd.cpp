// The weights of an axis, a vector of output pixels at a time, for every instruction set that Highway knows.
// Each operation on doubles is the one that the scalar code does, so the results are the same bits.
#include <algorithm>

#include "image/resize_axis_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/resize_axis_simd.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::image::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<double>;
using DI = hn::Rebind<std::int32_t, DF>;
using VF = hn::Vec<DF>;

HWY_INLINE VF bilinear(VF x) {
  const DF d;
  const VF distance = hn::Abs(x), one = hn::Set(d, 1.0);
  return hn::IfThenElseZero(hn::Lt(distance, one), hn::Sub(one, distance));
}

HWY_INLINE VF bicubic(VF signed_x) {
  const DF d;
  const VF x = hn::Abs(signed_x);
  const VF steep = hn::Sub(hn::Mul(hn::Set(d, kCubicA + 2.0), x), hn::Set(d, kCubicA + 3.0));
  const VF near = hn::Add(hn::Mul(hn::Mul(steep, x), x), hn::Set(d, 1.0));
  const VF inner = hn::Add(hn::Mul(hn::Sub(x, hn::Set(d, 5.0)), x), hn::Set(d, 8.0));
  const VF far = hn::Mul(hn::Sub(hn::Mul(inner, x), hn::Set(d, 4.0)), hn::Set(d, kCubicA));
  const VF outside = hn::IfThenElseZero(hn::Lt(x, hn::Set(d, 2.0)), far);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0)), near, outside);
}

HWY_INLINE hn::Vec<DI> to_fixed(VF weight) {
  const DF d;
  const VF scaled = hn::Mul(weight, hn::Set(d, 1 << kWeightBits));
  const VF half = hn::IfThenElse(hn::Lt(scaled, hn::Zero(d)), hn::Set(d, -0.5), hn::Set(d, 0.5));
  return hn::DemoteTo(DI(), hn::Add(scaled, half));
}

template <bool kCubic>
void fill(const ResizeScale& scale, int rows, ResizeAxis& axis) {
  const DF d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  axis.scratch.resize(static_cast<std::size_t>(rows) * lanes);
  const VF half = hn::Set(d, 0.5), support = hn::Set(d, scale.support), inverse = hn::Set(d, scale.inverse);
  const VF source_size = hn::Set(d, scale.source_size);
  for (std::size_t i = 0; i < axis.pitch; i += lanes) {
    if (i >= static_cast<std::size_t>(axis.size())) {  // the slack behind the outputs
      for (int tap = 0; tap < rows; ++tap) {
        hn::StoreU(hn::Zero(di), di, axis.weights.data() + static_cast<std::size_t>(tap) * axis.pitch + i);
      }
      hn::StoreU(hn::Zero(di), di, axis.first.data() + i);
      continue;
    }
    const VF index = hn::Iota(d, axis.begin + static_cast<double>(i));
    const VF center = hn::Mul(hn::Add(index, half), hn::Set(d, scale.scale));
    const auto begin = hn::DemoteTo(di, hn::Max(hn::Zero(d), hn::Add(hn::Sub(center, support), half)));
    const auto end = hn::DemoteTo(di, hn::Min(source_size, hn::Add(hn::Add(center, support), half)));
    const auto count = hn::Sub(end, begin);
    hn::StoreU(begin, di, axis.first.data() + i);
    hn::StoreU(count, di, axis.count.data() + i);
    const int most = *std::max_element(axis.count.data() + i, axis.count.data() + i + lanes);
    const VF first = hn::PromoteTo(d, begin), taps = hn::PromoteTo(d, count);
    VF sum = hn::Zero(d);
    for (int tap = 0; tap < most; ++tap) {
      const VF t = hn::Set(d, tap);
      const VF x = hn::Mul(hn::Add(hn::Sub(hn::Add(t, first), center), half), inverse);
      const VF weight = hn::IfThenElseZero(hn::Lt(t, taps), kCubic ? bicubic(x) : bilinear(x));
      sum = hn::Add(sum, weight);
      hn::StoreU(weight, d, axis.scratch.data() + static_cast<std::size_t>(tap) * lanes);
    }
    const VF divisor = hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), hn::Set(d, 1.0), sum);
    std::int32_t* out = axis.weights.data() + i;
    for (int tap = 0; tap < most; ++tap, out += axis.pitch) {
      const VF weight = hn::LoadU(d, axis.scratch.data() + static_cast<std::size_t>(tap) * lanes);
      hn::StoreU(to_fixed(hn::Div(weight, divisor)), di, out);
    }
    for (int tap = std::max(most, 0); tap < rows; ++tap, out += axis.pitch) hn::StoreU(hn::Zero(di), di, out);
  }
}

void fill_weights(const ResizeScale& scale, int rows, ResizeAxis& axis) {
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

HWY_EXPORT(fill_weights);

void fill_weights_simd(const ResizeScale& scale, int rows, ResizeAxis& axis) {
  HWY_DYNAMIC_DISPATCH(fill_weights)(scale, rows, axis);
}

}  // namespace stoker::image
#endif
