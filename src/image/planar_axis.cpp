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

// Positions are pixels from the crop's first one on.
struct PlanarScale {
  float begin = 0, length = 0;  // of the crop
  float pixels = 0, per_pixel = 0;
  float margin = 0;  // pixels beyond its own ones that a sample reaches
  float leak = 0;    // the share of the next sample that they get
  float last_sample = 0;
  float scale = 0, support = 0, inverse = 0;
  float one = 0;      // a weight of 1
  float largest = 0;  // that a weight may be

  PlanarScale(const PlanarSource& source, int target_size, Filter filter, int bits) {
    const double step = static_cast<double>(source.length) / target_size, stretch = std::max(step, 1.0);
    begin = static_cast<float>(source.begin);
    length = static_cast<float>(source.length);
    pixels = static_cast<float>(source.pixels);
    per_pixel = 1.0F / pixels;
    margin = source.is_filtered ? 1.0F : 0.0F;
    leak = source.is_filtered ? 0.25F : 0.0F;
    last_sample = static_cast<float>(source.samples - 1);
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

// The filter at pixels of the crop, nothing outside of it.
template <bool kCubic>
struct PixelWeights {
  VF center, inverse, length;

  HWY_INLINE VF at(VF pixel) const {
    const DF d;
    const VF x = hn::Mul(hn::Add(hn::Sub(pixel, center), hn::Set(d, 0.5F)), inverse);
    const auto inside = hn::And(hn::Ge(pixel, hn::Zero(d)), hn::Lt(pixel, length));
    return hn::IfThenElseZero(inside, kCubic ? bicubic(x) : bilinear(x));
  }
};

template <bool kCubic>
HWY_INLINE VF sample_weight(const PlanarScale& scale, const PixelWeights<kCubic>& weights, VF first_pixel) {
  const DF d;
  const VF first = weights.at(first_pixel);
  if (scale.pixels == 1.0F) return first;
  VF sum = first, last = first;
  for (float pixel = 1.0F; pixel < scale.pixels; pixel += 1.0F) {
    last = weights.at(hn::Add(first_pixel, hn::Set(d, pixel)));
    sum = hn::Add(sum, last);
  }
  if (scale.leak == 0.0F) return sum;
  const VF before = weights.at(hn::Sub(first_pixel, hn::Set(d, 1.0F)));
  const VF behind = weights.at(hn::Add(first_pixel, hn::Set(d, scale.pixels)));
  const VF gain = hn::Sub(hn::Add(before, behind), hn::Add(first, last));
  return hn::Add(sum, hn::Mul(gain, hn::Set(d, scale.leak)));
}

template <bool kCubic>
void fill(const PlanarScale& scale, int rows, PlanarAxis& axis) {
  const DF d;
  const DI di;
  const std::size_t lanes = hn::Lanes(d);
  axis.scratch.resize(static_cast<std::size_t>(rows) * lanes);
  const VF half = hn::Set(d, 0.5F), support = hn::Set(d, scale.support), one = hn::Set(d, scale.one);
  const VF last = hn::Set(d, static_cast<float>(axis.end - 1)), bias = hn::Set(d, kPlanarBias);
  const VF length = hn::Set(d, scale.length), crop = hn::Set(d, scale.begin);
  const auto sample_of = [&](VF pixel) HWY_ATTR {
    const VF sample = hn::Mul(hn::Add(hn::Add(pixel, crop), half), hn::Set(d, scale.per_pixel));
    return hn::ConvertTo(di, hn::Min(hn::Max(sample, hn::Zero(d)), hn::Set(d, scale.last_sample)));
  };
  const auto whole = [&](VF x) HWY_ATTR { return hn::ConvertTo(d, hn::ConvertTo(di, x)); };
  for (std::size_t i = 0; i < axis.pitch; i += lanes) {
    const VF index = hn::Min(last, hn::Iota(d, static_cast<float>(axis.begin) + static_cast<float>(i)));
    const VF center = hn::Mul(hn::Add(index, half), hn::Set(d, scale.scale));
    const VF begin = whole(hn::Max(hn::Zero(d), hn::Add(hn::Sub(center, support), half)));
    const VF end = whole(hn::Min(length, hn::Add(hn::Add(center, support), half)));
    const VF margin = hn::Set(d, scale.margin);
    const auto first = sample_of(hn::Sub(begin, margin));
    const auto behind = sample_of(hn::Add(hn::Sub(end, hn::Set(d, 1.0F)), margin));
    const auto count = hn::Add(hn::Sub(behind, first), hn::Set(di, 1));
    hn::StoreU(first, di, axis.first.data() + i);
    hn::StoreU(count, di, axis.count.data() + i);
    const int most = *std::max_element(axis.count.data() + i, axis.count.data() + i + lanes);
    const VF taps = hn::ConvertTo(d, count);
    const PixelWeights<kCubic> weights{center, hn::Set(d, scale.inverse), length};
    VF sum = hn::Zero(d);
    for (int tap = 0; tap < most; ++tap) {
      const VF t = hn::Set(d, static_cast<float>(tap));
      const VF sample = hn::Add(hn::ConvertTo(d, first), t);
      const VF first_pixel = hn::Sub(hn::Mul(sample, hn::Set(d, scale.pixels)), crop);
      const VF weight = hn::IfThenElseZero(hn::Lt(t, taps), sample_weight(scale, weights, first_pixel));
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

// As the loops above, operation by operation.
struct ScalarWeights {
  const PlanarScale& scale;
  float center;
  Filter filter;

  float at(float pixel) const {
    const float x = (pixel - center + 0.5F) * scale.inverse;
    return pixel >= 0.0F && pixel < scale.length ? weight_at(x, filter) : 0.0F;
  }
  float of_sample(float first_pixel) const {
    const float first = at(first_pixel);
    if (scale.pixels == 1.0F) return first;
    float sum = first, last = first;
    for (float pixel = 1.0F; pixel < scale.pixels; pixel += 1.0F) {
      last = at(first_pixel + pixel);
      sum += last;
    }
    if (scale.leak == 0.0F) return sum;
    const float before = at(first_pixel - 1.0F), behind = at(first_pixel + scale.pixels);
    return sum + ((before + behind) - (first + last)) * scale.leak;
  }
};

void fill_scalar(const PlanarScale& scale, int rows, PlanarAxis& axis) {
  axis.scratch.resize(static_cast<std::size_t>(rows));
  const auto sample_of = [&](float pixel) {
    const float sample = (pixel + scale.begin + 0.5F) * scale.per_pixel;
    return static_cast<int>(std::min(std::max(sample, 0.0F), scale.last_sample));
  };
  const auto whole = [](float x) { return static_cast<float>(static_cast<int>(x)); };
  for (std::size_t i = 0; i < axis.pitch; ++i) {
    const float index =
        std::min(static_cast<float>(axis.end - 1), static_cast<float>(axis.begin) + static_cast<float>(i));
    const float center = (index + 0.5F) * scale.scale;
    const float begin = whole(std::max(0.0F, center - scale.support + 0.5F));
    const float end = whole(std::min(scale.length, center + scale.support + 0.5F));
    const int first = sample_of(begin - scale.margin);
    const int count = sample_of(end - 1.0F + scale.margin) - first + 1;
    axis.first[i] = first;
    axis.count[i] = count;
    const ScalarWeights weights{scale, center, axis.filter};
    float sum = 0;
    for (int tap = 0; tap < count; ++tap) {
      const float sample = static_cast<float>(first) + static_cast<float>(tap);
      const float weight = weights.of_sample(sample * scale.pixels - scale.begin);
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

bool fits(const PlanarAxis& axis, const PlanarSource& source, int target_size, int begin, int end,
          Filter filter, int bits) {
  return axis.source == source && axis.target_size == target_size && axis.begin == begin && axis.end == end &&
         axis.filter == filter && axis.bits == bits;
}

void make(const PlanarSource& source, int target_size, int begin, int end, Filter filter, int bits,
          bool scalar, PlanarAxis& axis) {
  if (fits(axis, source, target_size, begin, end, filter, bits)) return;
  axis.source = source;
  axis.target_size = target_size;
  axis.begin = begin;
  axis.end = end;
  axis.filter = filter;
  axis.bits = bits;
  const auto size = static_cast<std::size_t>(axis.size());
  axis.pitch = (size + PlanarAxis::kUnit - 1) / PlanarAxis::kUnit * PlanarAxis::kUnit;
  const int rows = (most_planar_taps(source, target_size, filter) + 3) / 4 * 4;
  axis.first.resize(axis.pitch);
  axis.count.resize(axis.pitch);
  axis.weights.resize(static_cast<std::size_t>(rows) * axis.pitch);
  const PlanarScale scale(source, target_size, filter, bits);
  if (scalar) {
    fill_scalar(scale, rows, axis);
  } else {
    HWY_DYNAMIC_DISPATCH(fill_planar)(scale, rows, axis);
  }
  axis.used_taps = *std::max_element(axis.count.begin(), axis.count.end());
  const int base = axis.first[0];
  axis.source_begin = base;
  axis.source_end = axis.first[size - 1] + axis.count[size - 1];
  for (std::int32_t& first : axis.first) first -= base;
}

}  // namespace

int most_planar_taps(const PlanarSource& source, int target_size, Filter filter) {
  const double stretch = std::max(static_cast<double>(source.length) / target_size, 1.0);
  const double reach = (filter == Filter::bilinear ? 2.0 : 4.0) * stretch + (source.is_filtered ? 2.0 : 0.0);
  return static_cast<int>((reach + 1.0) / source.pixels) + 2;
}

void make_planar_axis(const PlanarSource& source, int target_size, int begin, int end, Filter filter,
                      int bits, PlanarAxis& axis) {
  make(source, target_size, begin, end, filter, bits, false, axis);
}

void make_planar_axis_scalar(const PlanarSource& source, int target_size, int begin, int end, Filter filter,
                             int bits, PlanarAxis& axis) {
  make(source, target_size, begin, end, filter, bits, true, axis);
}

}  // namespace stoker::image
#endif
