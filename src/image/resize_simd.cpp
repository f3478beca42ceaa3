// The inner loops of a resize for every instruction set that Highway knows, chosen at run time.
//
// A weight of 22 bits does not fit the 16-bit multiply-add that processors are fast at, so it is split:
// weight = high * 65536 + low with low in [-32768, 32767]. Both halves are summed up apart in 32 bits and
// joined as (high_sum << 16) + low_sum. All of that is exact modulo 2^32, and the true sum fits 32 bits, so
// it comes out exact.
#include <algorithm>

#include "image/avx512_loops.hpp"
#include "image/resize_grouped.hpp"
#include "image/resize_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/resize_simd.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "jpeg/simd_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace stoker::image::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void horizontal_rows(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                     std::uint8_t* const* outs) {
  for (int i = 0; i < kRowsAtOnce; ++i)
    scalar::horizontal_row(*plan.axis, plan.source_x, sources[i], outs[i]);
}

void vertical_row(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out) {
  scalar::vertical_row(taps, bytes, out);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using namespace jpeg::HWY_NAMESPACE;  // NOLINT: the vectors of blocks

// A vector is one pixel of `kBlocks` rows at once.
inline constexpr int kVectors = kRowsAtOnce / static_cast<int>(kBlocks);

HWY_ALIGN constexpr std::uint8_t kSpreadPairs[2][16] = {
    {0, 0x80, 3, 0x80, 1, 0x80, 4, 0x80, 2, 0x80, 5, 0x80, 0x80, 0x80, 0x80, 0x80},
    {6, 0x80, 9, 0x80, 7, 0x80, 10, 0x80, 8, 0x80, 11, 0x80, 0x80, 0x80, 0x80, 0x80},
};
HWY_ALIGN constexpr std::uint8_t kDropFourth[16] = {0,  1,  2,  4,  5,    6,    8,    9,
                                                    10, 12, 13, 14, 0x80, 0x80, 0x80, 0x80};

// One output pixel of kRowsAtOnce rows, as 32-bit red, green, blue, nothing in each block.
// kPairs: pairs of taps, or 0 where only the plan knows.
template <int kPairs>
HWY_INLINE void make_pixel(const HorizontalPlan& plan, std::size_t x, const std::uint8_t* const* sources,
                           V8 even, V8 odd, V32* out) {
  const int pairs = kPairs > 0 ? kPairs : plan.pairs;
  const std::int32_t* weights = plan.weights.data() + x * static_cast<std::size_t>(pairs) * 2;
  std::ptrdiff_t offset = plan.offsets[x];
  V32 low[kVectors], high[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    low[v] = hn::Set(D32(), 1 << (kWeightBits - 1));
    high[v] = hn::Zero(D32());
  }
  for (int pair = 0; pair < pairs; pair += 2, offset += 12) {
    const V16 low_even = hn::BitCast(D16(), hn::Set(D32(), weights[pair * 2]));
    const V16 high_even = hn::BitCast(D16(), hn::Set(D32(), weights[pair * 2 + 1]));
    const bool has_odd = pair + 1 < pairs;
    const V16 low_odd = hn::BitCast(D16(), hn::Set(D32(), has_odd ? weights[pair * 2 + 2] : 0));
    const V16 high_odd = hn::BitCast(D16(), hn::Set(D32(), has_odd ? weights[pair * 2 + 3] : 0));
    for (int v = 0; v < kVectors; ++v) {
      const V8 bytes = load_blocks(sources + v * static_cast<int>(kBlocks), offset);
      const V16 first = hn::BitCast(D16(), hn::TableLookupBytesOr0(bytes, even));
      low[v] = hn::Add(low[v], multiply_pairs(first, low_even));
      high[v] = hn::Add(high[v], multiply_pairs(first, high_even));
      if (has_odd) {
        const V16 second = hn::BitCast(D16(), hn::TableLookupBytesOr0(bytes, odd));
        low[v] = hn::Add(low[v], multiply_pairs(second, low_odd));
        high[v] = hn::Add(high[v], multiply_pairs(second, high_odd));
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    out[v] = hn::ShiftRight<kWeightBits>(hn::Add(hn::ShiftLeft<16>(high[v]), low[v]));
  }
}

template <int kPairs>
void horizontal_with(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                     std::uint8_t* const* outs) {
  const V8 even = hn::LoadDup128(D8(), kSpreadPairs[0]);
  const V8 odd = hn::LoadDup128(D8(), kSpreadPairs[1]);
  const V8 drop_fourth = hn::LoadDup128(D8(), kDropFourth);
  for (std::size_t x = 0; x < plan.offsets.size(); x += 4) {
    V32 pixels[4][kVectors];
    for (std::size_t i = 0; i < 4; ++i) make_pixel<kPairs>(plan, x + i, sources, even, odd, pixels[i]);
    for (int v = 0; v < kVectors; ++v) {
      const V16 left = narrow_in_blocks(pixels[0][v], pixels[1][v]);
      const V16 right = narrow_in_blocks(pixels[2][v], pixels[3][v]);
      const V8 bytes = hn::TableLookupBytesOr0(clip_in_blocks(left, right), drop_fourth);
      store_blocks(bytes, outs + v * static_cast<int>(kBlocks), static_cast<std::ptrdiff_t>(x) * 3);
    }
  }
}

void horizontal_rows(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                     std::uint8_t* const* outs) {
  switch (plan.pairs) {
    case 1:
      return horizontal_with<1>(plan, sources, outs);
    case 2:
      return horizontal_with<2>(plan, sources, outs);
    case 3:
      return horizontal_with<3>(plan, sources, outs);
    case 4:
      return horizontal_with<4>(plan, sources, outs);
    default:
      return horizontal_with<0>(plan, sources, outs);
  }
}

// Sums of products of neighbouring bytes and signed bytes, which must not exceed 16 bits.
HWY_INLINE V16 multiply_byte_pairs(V8 bytes, V8 signed_bytes) {
#if HWY_TARGET <= HWY_AVX3
  return V16{_mm512_maddubs_epi16(bytes.raw, signed_bytes.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V16{_mm256_maddubs_epi16(bytes.raw, signed_bytes.raw)};
#elif HWY_TARGET <= HWY_SSSE3
  return V16{_mm_maddubs_epi16(bytes.raw, signed_bytes.raw)};
#else
  const D16 d16;
  const V16 even = hn::And(hn::BitCast(d16, bytes), hn::Set(d16, 0xFF));
  const V16 odd = hn::BitCast(d16, hn::ShiftRight<8>(hn::BitCast(hn::RebindToUnsigned<D16>(), bytes)));
  const V16 weights = hn::BitCast(d16, signed_bytes);
  const V16 even_weights = hn::ShiftRight<8>(hn::ShiftLeft<8>(weights));
  return hn::Add(hn::Mul(even, even_weights), hn::Mul(odd, hn::ShiftRight<8>(weights)));
#endif
}

inline constexpr int kHighBits = kWeightBits - 16;  // fraction bits that the high halves of weights have

// `Lanes(D8)` bytes of an output row at column x, from pairs of taps. The high halves of weights lie within
// ±128, as do the sums of two, so that their products with bytes fit 16 bits; of the low halves' sum only the
// upper 16 bits matter.
struct Pairs {
  const VerticalTaps& taps;

  HWY_INLINE V8 operator()(std::size_t x) const {
    const D8 d8;
    const V8 zero = hn::Zero(d8);
    V32 low[4] = {hn::Zero(D32()), hn::Zero(D32()), hn::Zero(D32()), hn::Zero(D32())};
    V16 high[2] = {hn::Set(D16(), 1 << (kHighBits - 1)), hn::Set(D16(), 1 << (kHighBits - 1))};
    for (int tap = 0; tap < taps.count; tap += 2) {
      const bool has_second = tap + 1 < taps.count;
      const V8 first = hn::LoadU(d8, taps.rows[tap] + x);
      const V8 second = has_second ? hn::LoadU(d8, taps.rows[tap + 1] + x) : zero;
      const SplitPair weights = split_pair(taps.weights[tap], has_second ? taps.weights[tap + 1] : 0);
      const V16 low_weights = hn::BitCast(D16(), hn::Set(D32(), weights.low));
      const V8 high_weights = hn::BitCast(d8, hn::Set(D16(), weights.high_bytes()));
      const V8 left = hn::InterleaveLower(d8, first, second);
      const V8 right = hn::InterleaveUpper(d8, first, second);
      high[0] = hn::Add(high[0], multiply_byte_pairs(left, high_weights));
      high[1] = hn::Add(high[1], multiply_byte_pairs(right, high_weights));
      const V8 pairs[4] = {hn::InterleaveLower(d8, left, zero), hn::InterleaveUpper(d8, left, zero),
                           hn::InterleaveLower(d8, right, zero), hn::InterleaveUpper(d8, right, zero)};
      for (int i = 0; i < 4; ++i) {
        low[i] = hn::Add(low[i], multiply_pairs(hn::BitCast(D16(), pairs[i]), low_weights));
      }
    }
    for (V32& sum : low) sum = hn::ShiftRight<16>(sum);
    const V16 left = hn::Add(high[0], narrow_in_blocks(low[0], low[1]));
    const V16 right = hn::Add(high[1], narrow_in_blocks(low[2], low[3]));
    return clip_in_blocks(hn::ShiftRight<kHighBits>(left), hn::ShiftRight<kHighBits>(right));
  }
};

// The same for two taps whose weights add up to exactly one, as nearly all of an enlargement do:
// second + (first - second) * weight needs one product, whose upper half the processor gives directly.
struct Blend {
  const std::uint8_t* first;
  const std::uint8_t* second;
  V16 low, high;

  explicit Blend(const VerticalTaps& taps) : first(taps.rows[0]), second(taps.rows[1]) {
    const std::int32_t upper = (taps.weights[0] + 32768) >> 16;
    high = hn::Set(D16(), static_cast<std::int16_t>(upper));
    low = hn::Set(D16(), static_cast<std::int16_t>(taps.weights[0] - upper * 65536));
  }

  HWY_INLINE V16 blend(V8 a_bytes, V8 b_bytes) const {
    const V16 b = hn::BitCast(D16(), b_bytes);
    const V16 difference = hn::Sub(hn::BitCast(D16(), a_bytes), b);
    const V16 product = hn::Add(hn::Mul(difference, high), hn::MulHigh(difference, low));
    return hn::Add(b, hn::ShiftRight<kHighBits>(hn::Add(product, hn::Set(D16(), 1 << (kHighBits - 1)))));
  }
  HWY_INLINE V8 operator()(std::size_t x) const {
    const D8 d8;
    const V8 a = hn::LoadU(d8, first + x), b = hn::LoadU(d8, second + x), zero = hn::Zero(d8);
    const V16 left = blend(hn::InterleaveLower(d8, a, zero), hn::InterleaveLower(d8, b, zero));
    const V16 right = blend(hn::InterleaveUpper(d8, a, zero), hn::InterleaveUpper(d8, b, zero));
    return clip_in_blocks(left, right);
  }
};

template <class Make>
HWY_INLINE void whole_row(const Make& make, std::size_t bytes, std::uint8_t* out) {
  const std::size_t lanes = hn::Lanes(D8());
  std::size_t x = 0;
  for (; x + lanes <= bytes; x += lanes) hn::StoreU(make(x), D8(), out + x);
  if (x < bytes) hn::StoreU(make(bytes - lanes), D8(), out + bytes - lanes);  // overlaps what is done
}

void vertical_row(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out) {
  if (bytes < hn::Lanes(D8())) return scalar::vertical_row(taps, bytes, out);
  if (taps.count == 2 && taps.weights[0] >= 0 && taps.weights[1] >= 0 &&
      taps.weights[0] + taps.weights[1] == 1 << kWeightBits) {
    whole_row(Blend(taps), bytes, out);
  } else {
    whole_row(Pairs{taps}, bytes, out);
  }
}

#endif  // scalar targets

}  // namespace stoker::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

HWY_EXPORT(horizontal_rows);
HWY_EXPORT(vertical_row);

std::size_t plan_horizontal(const ResizeAxis& axis, int source_x, HorizontalPlan& plan) {
  if (use_avx512_loops()) {
    if (std::size_t bytes = 0; grouped::plan(axis, source_x, plan, bytes)) return bytes;
  }
  plan.steps = 0;
  plan.axis = &axis;
  plan.source_x = source_x;
  plan.pairs = (axis.used_taps + 1) / 2;
  const auto pairs = static_cast<std::size_t>(plan.pairs);
  const auto size = static_cast<std::size_t>(axis.size());
  const std::size_t padded = (size + 3) / 4 * 4;
  plan.offsets.resize(padded);
  plan.weights.resize(padded * pairs * 2);
  std::int32_t reach = 0;
  for (std::size_t x = 0; x < padded; ++x) {
    const std::size_t i = std::min(x, size - 1);
    const std::int32_t* weights = axis.weights.data() + i;
    plan.offsets[x] = (axis.first[i] - source_x) * 3;
    reach = std::max(reach, plan.offsets[x]);
    std::int32_t* out = plan.weights.data() + x * pairs * 2;
    for (std::size_t pair = 0; pair < pairs; ++pair, weights += 2 * axis.pitch) {
      const SplitPair split = split_pair(weights[0], weights[axis.pitch]);
      *out++ = split.low;
      *out++ = split.high;
    }
  }
  return static_cast<std::size_t>(reach) + (pairs + 1) / 2 * 12 + 4;
}

void horizontal_rows_simd(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                          std::uint8_t* const* outs) {
  if (plan.steps > 0) return grouped::horizontal_rows(plan, sources, outs);
  HWY_DYNAMIC_DISPATCH(horizontal_rows)(plan, sources, outs);
}

void vertical_row_simd(const VerticalTaps& taps, std::size_t bytes, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(vertical_row)(taps, bytes, out);
}

}  // namespace stoker::image
#endif
