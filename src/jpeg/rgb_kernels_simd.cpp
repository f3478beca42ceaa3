// The loops for every instruction set that Highway knows, chosen at run time.
#include <cstring>

#include "jpeg/rgb_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/rgb_kernels_simd.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "jpeg/simd_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace stoker::jpeg::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

const RowKernels* row_kernels() { return &scalar_row_kernels(); }

#else

HWY_INLINE V16 set16(int value) { return hn::Set(D16(), static_cast<std::int16_t>(value)); }

// 8 + 8 sums of each block: kNear × near + kFar × far.
template <int kNear, int kFar>
struct Sums {
  V16 low, high;

  HWY_INLINE Sums(V8 near, V8 far) {
    const V16 weights = set16(kNear | kFar << 8);
    low = weigh_byte_pairs(hn::InterleaveLower(D8(), near, far), weights);
    high = weigh_byte_pairs(hn::InterleaveUpper(D8(), near, far), weights);
  }
};

void blend(const std::uint8_t* near, const std::uint8_t* far, std::size_t count, std::uint16_t rounding,
           std::uint8_t* out) {
  const D8 d;
  const V16 half = set16(rounding);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Sums<3, 1> sums(hn::LoadU(d, near + i), hn::LoadU(d, far + i));
    const V16 low = hn::ShiftRight<2>(hn::Add(sums.low, half));
    const V16 high = hn::ShiftRight<2>(hn::Add(sums.high, half));
    hn::StoreU(clip_in_blocks(low, high), d, out + i);
  }
}

// Bytes: even pixels in the lower halves of the lanes, odd ones in the upper. All sums fit 12 bits.
HWY_INLINE V8 pixel_pairs(V16 even, V16 odd) {
  const V16 upper = hn::And(hn::ShiftLeft<4>(odd), set16(0xFF00));
  return hn::BitCast(D8(), hn::Or(hn::ShiftRight<4>(even), upper));
}

void double_columns(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                    PairRounding rounding, std::uint8_t* out) {
  const D8 d;
  const V16 even = set16(rounding.even), odd = set16(rounding.odd);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Sums<3, 1> left(hn::LoadU(d, near + i - 1), hn::LoadU(d, far + i - 1));
    const Sums<9, 3> own(hn::LoadU(d, near + i), hn::LoadU(d, far + i));
    const Sums<3, 1> right(hn::LoadU(d, near + i + 1), hn::LoadU(d, far + i + 1));
    const V8 low =
        pixel_pairs(hn::Add(hn::Add(own.low, even), left.low), hn::Add(hn::Add(own.low, odd), right.low));
    const V8 high =
        pixel_pairs(hn::Add(hn::Add(own.high, even), left.high), hn::Add(hn::Add(own.high, odd), right.high));
    store_in_turns(low, high, out + 2 * i);
  }
}

// Writes `count` pixels, of which make(x, rgb) gives a vector's worth from x on.
template <class Make>
HWY_INLINE void write_pixels(std::size_t count, std::uint8_t* rgb, const Make& make) {
  const D8 d;
  const std::size_t lanes = hn::Lanes(d);
  V8 out[3];
  if (count < lanes) {
    HWY_ALIGN std::uint8_t pixels[3 * 16 * kBlocks];
    make(0, out);
    hn::StoreInterleaved3(out[0], out[1], out[2], d, pixels);
    std::memcpy(rgb, pixels, 3 * count);
    return;
  }
  std::size_t x = 0;
  for (; x + lanes <= count; x += lanes) {
    make(x, out);
    hn::StoreInterleaved3(out[0], out[1], out[2], d, rgb + 3 * x);
  }
  if (x == count) return;
  x = count - lanes;  // overlaps what is done
  make(x, out);
  hn::StoreInterleaved3(out[0], out[1], out[2], d, rgb + 3 * x);
}

struct Colours {
  V16 red, green, blue;
};

// With 16 bits of fraction 1.402 is 65536 + 26345, 1.772 twice 65536 - 14942, -0.71414 is 18734 - 65536: what
// goes beyond whole multiples fits 16 bits. Half of 26345, rounded up, gives the same red for every sample.
HWY_INLINE Colours colours_of(V16 y, V16 cb_sample, V16 cr_sample) {
  const V16 cb = hn::Sub(cb_sample, set16(128)), cr = hn::Sub(cr_sample, set16(128));
  const V16 red = hn::Add(cr, hn::MulFixedPoint15(cr, set16((26345 + 1) / 2)));
  const V16 blue = hn::Add(hn::Add(cb, cb), hn::MulFixedPoint15(cb, set16(-14942 / 2)));
  const V16 weights = set_pairs(-22554, 18734);
  const V32 half = hn::Set(D32(), 1 << 15);
  const V32 low = hn::Add(multiply_pairs(hn::InterleaveLower(D16(), cb, cr), weights), half);
  const V32 high = hn::Add(multiply_pairs(hn::InterleaveUpper(D16(), cb, cr), weights), half);
  const V16 green = hn::Sub(narrow_in_blocks(hn::ShiftRight<16>(low), hn::ShiftRight<16>(high)), cr);
  return {hn::Add(y, red), hn::Add(y, green), hn::Add(y, blue)};
}

void ycbcr_to_rgb(const std::uint8_t* const* channels, std::size_t count, std::uint8_t* rgb) {
  const std::uint8_t *y = channels[0], *cb = channels[1], *cr = channels[2];
  write_pixels(count, rgb, [&](std::size_t x, V8* out) HWY_ATTR {
    const D8 d8;
    const D16 d16;
    const V8 zero = hn::Zero(d8);
    const V8 in[3] = {hn::LoadU(d8, y + x), hn::LoadU(d8, cb + x), hn::LoadU(d8, cr + x)};
    V16 low[3], high[3];
    for (int c = 0; c < 3; ++c) {
      low[c] = hn::BitCast(d16, hn::InterleaveLower(d8, in[c], zero));
      high[c] = hn::BitCast(d16, hn::InterleaveUpper(d8, in[c], zero));
    }
    const Colours left = colours_of(low[0], low[1], low[2]), right = colours_of(high[0], high[1], high[2]);
    out[0] = clip_in_blocks(left.red, right.red);
    out[1] = clip_in_blocks(left.green, right.green);
    out[2] = clip_in_blocks(left.blue, right.blue);
  });
}

void interleave(const std::uint8_t* const* channels, std::size_t count, std::uint8_t* rgb) {
  write_pixels(count, rgb, [&](std::size_t x, V8* out) HWY_ATTR {
    for (int c = 0; c < 3; ++c) out[c] = hn::LoadU(D8(), channels[c] + x);
  });
}

const RowKernels* row_kernels() {
  static constexpr RowKernels kKernels{blend, double_columns, ycbcr_to_rgb, interleave};
  return &kKernels;
}

#endif  // scalar targets

}  // namespace stoker::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::jpeg {

HWY_EXPORT(row_kernels);

const RowKernels& simd_row_kernels() { return *HWY_DYNAMIC_DISPATCH(row_kernels)(); }

}  // namespace stoker::jpeg
#endif
