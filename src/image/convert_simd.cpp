// The SIMD loops of convert() for every instruction set that Highway knows, chosen at run time.
#include <algorithm>
#include <cstring>

#include "image/convert_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/convert_simd.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::image::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

std::size_t convert_row(const std::uint8_t*, std::size_t, bool, const ConvertTable&, Layout,
                        std::byte* const*) {
  return 0;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// One vector of 32-bit numbers is the unit of arithmetic; bytes come in quarters of a vector.
using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using D16 = hn::Rebind<std::uint16_t, DF>;
using D8 = hn::ScalableTag<std::uint8_t>;
using D8Q = hn::Rebind<std::uint8_t, DF>;
using VF = hn::Vec<DF>;

// What ConvertTable::Arithmetic holds, one vector each.
struct Channel {
  VF mean, inverse_high, inverse_low;
};

// A quotient by a constant whose inverse is known to twice the precision: high + low. One fused multiply-add
// rounds it.
HWY_INLINE VF times_inverse(VF value, VF high, VF low) {
  return hn::MulAdd(value, high, hn::Mul(value, low));
}

HWY_INLINE VF normalized(VF value, const Channel& channel) {
  constexpr float kHigh = 1.0f / 255.0f;
  constexpr float kLow = static_cast<float>(1.0 / 255.0 - static_cast<double>(kHigh));
  const VF share = times_inverse(value, hn::Set(DF(), kHigh), hn::Set(DF(), kLow));
  return times_inverse(hn::Sub(share, channel.mean), channel.inverse_high, channel.inverse_low);
}

struct F32 {
  using T = float;
  using D = DF;
  static HWY_INLINE VF make(VF v) { return v; }
};
struct F16 {
  using T = std::uint16_t;
  using D = D16;
  static HWY_INLINE hn::Vec<D16> make(VF v) {
    const hn::Rebind<hwy::float16_t, DF> half;
    return hn::BitCast(D16(), hn::DemoteTo(half, v));
  }
};
struct Bf16 {
  using T = std::uint16_t;
  using D = D16;
  static HWY_INLINE hn::Vec<D16> make(VF v) {
    const DU du;
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFF)), odd));
    return hn::DemoteTo(D16(), hn::BitCast(DI(), rounded));
  }
};

template <class Number, bool kNormalize>
HWY_INLINE hn::Vec<typename Number::D> numbers(hn::Vec<D8Q> bytes, const Channel& channel) {
  VF value = hn::ConvertTo(DF(), hn::PromoteTo(DI(), bytes));
  if constexpr (kNormalize) value = normalized(value, channel);
  return Number::make(value);
}

HWY_ALIGN constexpr std::uint8_t kBackwards[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

// Three channels' bytes of one vector's pixels, in output order.
HWY_INLINE void load_pixels(const std::uint8_t* row, std::size_t width, std::size_t x, bool flip,
                            hn::Vec<D8>* rgb) {
  const D8 d8;
  if (!flip) {
    hn::LoadInterleaved3(d8, row + 3 * x, rgb[0], rgb[1], rgb[2]);
    return;
  }
  hn::LoadInterleaved3(d8, row + 3 * (width - x - hn::Lanes(d8)), rgb[0], rgb[1], rgb[2]);
  const hn::Vec<D8> backwards = hn::LoadDup128(d8, kBackwards);
  for (int channel = 0; channel < 3; ++channel) {
    rgb[channel] = hn::ReverseBlocks(d8, hn::TableLookupBytes(rgb[channel], backwards));
  }
}

// Bytes of each channel that are taken apart at once: they stay in the innermost cache. The three planes of a
// tensor often lie a multiple of 4096 bytes apart, which makes writing to them in turns slow; so each gets a
// stretch at a time.
inline constexpr std::size_t kStretch = 512;

template <class Number, bool kNormalize>
HWY_INLINE void write_planes(const std::uint8_t (*bytes)[kStretch], std::size_t count,
                             const Channel* channels, std::size_t x, std::byte* const* planes) {
  using T = typename Number::T;
  for (int channel = 0; channel < 3; ++channel) {
    T* out = reinterpret_cast<T*>(planes[channel]) + x;
    for (std::size_t i = 0; i < count; i += hn::Lanes(DF())) {
      const auto from = hn::Load(D8Q(), bytes[channel] + i);
      hn::StoreU(numbers<Number, kNormalize>(from, channels[channel]), typename Number::D(), out + i);
    }
  }
}

template <class Number, bool kNormalize>
HWY_INLINE void write_pixels(const std::uint8_t (*bytes)[kStretch], std::size_t count,
                             const Channel* channels, std::size_t x, std::byte* const* planes) {
  using T = typename Number::T;
  T* out = reinterpret_cast<T*>(planes[0]) + 3 * x;
  for (std::size_t i = 0; i < count; i += hn::Lanes(DF())) {
    const auto red = numbers<Number, kNormalize>(hn::Load(D8Q(), bytes[0] + i), channels[0]);
    const auto green = numbers<Number, kNormalize>(hn::Load(D8Q(), bytes[1] + i), channels[1]);
    const auto blue = numbers<Number, kNormalize>(hn::Load(D8Q(), bytes[2] + i), channels[2]);
    hn::StoreInterleaved3(red, green, blue, typename Number::D(), out + 3 * i);
  }
}

template <class Number, bool kNormalize>
std::size_t row_of(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable::Arithmetic& a,
                   Layout layout, std::byte* const* planes) {
  const D8 d8;
  const DF df;
  const std::size_t step = hn::Lanes(d8);
  const Channel channels[3] = {
      {hn::Set(df, a.mean[0]), hn::Set(df, a.inverse_high[0]), hn::Set(df, a.inverse_low[0])},
      {hn::Set(df, a.mean[1]), hn::Set(df, a.inverse_high[1]), hn::Set(df, a.inverse_low[1])},
      {hn::Set(df, a.mean[2]), hn::Set(df, a.inverse_high[2]), hn::Set(df, a.inverse_low[2])}};
  HWY_ALIGN std::uint8_t bytes[3][kStretch];
  if (width < step) return 0;
  std::size_t x = 0;
  while (x < width) {
    x = std::min(x,
                 width - step);  // the last vector overlaps what is done: the same numbers are written again
    std::size_t count = 0;
    for (; count < kStretch && x + count + step <= width; count += step) {
      hn::Vec<D8> rgb[3];
      load_pixels(row, width, x + count, flip, rgb);
      for (int channel = 0; channel < 3; ++channel) hn::Store(rgb[channel], d8, bytes[channel] + count);
    }
    if (layout == Layout::nchw) {
      write_planes<Number, kNormalize>(bytes, count, channels, x, planes);
    } else {
      write_pixels<Number, kNormalize>(bytes, count, channels, x, planes);
    }
    x += count;
  }
  return x;
}

std::size_t row_of_bytes(const std::uint8_t* row, std::size_t width, bool flip, Layout layout,
                         std::byte* const* planes) {
  if (layout == Layout::nhwc && !flip) {
    std::memcpy(planes[0], row, width * 3);
    return width;
  }
  const D8 d8;
  const std::size_t step = hn::Lanes(d8);
  if (width < step) return 0;
  for (std::size_t begin = 0; begin < width; begin += step) {
    const std::size_t x = std::min(begin, width - step);
    hn::Vec<D8> rgb[3];
    load_pixels(row, width, x, flip, rgb);
    if (layout == Layout::nchw) {
      for (int channel = 0; channel < 3; ++channel) {
        hn::StoreU(rgb[channel], d8, reinterpret_cast<std::uint8_t*>(planes[channel]) + x);
      }
    } else {
      hn::StoreInterleaved3(rgb[0], rgb[1], rgb[2], d8, reinterpret_cast<std::uint8_t*>(planes[0]) + 3 * x);
    }
  }
  return width;
}

template <class Number>
std::size_t row_as(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table,
                   Layout layout, std::byte* const* planes) {
  const ConvertTable::Arithmetic& a = table.arithmetic();
  return a.normalize ? row_of<Number, true>(row, width, flip, a, layout, planes)
                     : row_of<Number, false>(row, width, flip, a, layout, planes);
}

std::size_t convert_row(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table,
                        Layout layout, std::byte* const* planes) {
  switch (table.dtype()) {
    case DType::u8:
      return row_of_bytes(row, width, flip, layout, planes);
    case DType::f16:
      return row_as<F16>(row, width, flip, table, layout, planes);
    case DType::bf16:
      return row_as<Bf16>(row, width, flip, table, layout, planes);
    case DType::f32:
      return row_as<F32>(row, width, flip, table, layout, planes);
  }
  return 0;
}

#endif  // scalar targets

}  // namespace stoker::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

HWY_EXPORT(convert_row);

std::size_t convert_row_simd(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table,
                             Layout layout, std::byte* const* planes) {
  return HWY_DYNAMIC_DISPATCH(convert_row)(row, width, flip, table, layout, planes);
}

}  // namespace stoker::image
#endif
