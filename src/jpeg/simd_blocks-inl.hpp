// Vectors as independent blocks of 16 bytes, and the operations within blocks that Highway lacks. Included
// once for every instruction set, by files that foreach_target.h compiles.

#if defined(STOKER_JPEG_SIMD_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef STOKER_JPEG_SIMD_BLOCKS
#undef STOKER_JPEG_SIMD_BLOCKS
#else
#define STOKER_JPEG_SIMD_BLOCKS
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::jpeg::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_MAX_BYTES < 32
inline constexpr std::size_t kBlocks = 1;
#elif HWY_MAX_BYTES < 64
inline constexpr std::size_t kBlocks = 2;
#else
inline constexpr std::size_t kBlocks = 4;
#endif

using D8 = hn::CappedTag<std::uint8_t, 16 * kBlocks>;
using D16 = hn::Repartition<std::int16_t, D8>;
using D32 = hn::Repartition<std::int32_t, D8>;
using D64 = hn::Repartition<std::int64_t, D8>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;

using Block = hn::CappedTag<std::uint8_t, 16>;

// A block of 16 bytes from each of kBlocks rows, `offset` elements behind its beginning.
template <class T>
HWY_INLINE V8 load_blocks(const T* const* rows, std::ptrdiff_t offset) {
  const auto block = [&](std::size_t row) {
    return hn::LoadU(Block(), reinterpret_cast<const std::uint8_t*>(rows[row] + offset));
  };
#if HWY_TARGET <= HWY_AVX3
  __m512i v = _mm512_castsi128_si512(block(0).raw);
  v = _mm512_inserti32x4(v, block(1).raw, 1);
  v = _mm512_inserti32x4(v, block(2).raw, 2);
  return V8{_mm512_inserti32x4(v, block(3).raw, 3)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Combine(D8(), block(1), block(0));
#else
  return block(0);
#endif
}

// The reverse.
template <class T>
HWY_INLINE void store_blocks(V8 v, T* const* rows, std::ptrdiff_t offset) {
  const auto store = [&](std::size_t row, hn::Vec<Block> block) {
    hn::StoreU(block, Block(), reinterpret_cast<std::uint8_t*>(rows[row] + offset));
  };
#if HWY_TARGET <= HWY_AVX3
  store(0, hn::Vec<Block>{_mm512_castsi512_si128(v.raw)});
  store(1, hn::Vec<Block>{_mm512_extracti32x4_epi32(v.raw, 1)});
  store(2, hn::Vec<Block>{_mm512_extracti32x4_epi32(v.raw, 2)});
  store(3, hn::Vec<Block>{_mm512_extracti32x4_epi32(v.raw, 3)});
#elif HWY_TARGET == HWY_AVX2
  store(0, hn::LowerHalf(Block(), v));
  store(1, hn::UpperHalf(Block(), v));
#else
  store(0, v);
#endif
}

// Sums of products of neighbours: a[2i] * b[2i] + a[2i+1] * b[2i+1].
HWY_INLINE V32 multiply_pairs(V16 a, V16 b) {
#if HWY_TARGET <= HWY_AVX3
  return V32{_mm512_madd_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V32{_mm256_madd_epi16(a.raw, b.raw)};
#elif HWY_TARGET <= HWY_SSSE3
  return V32{_mm_madd_epi16(a.raw, b.raw)};
#else
  V32 other = hn::Zero(D32());
  const V32 sum = hn::ReorderWidenMulAccumulate(D32(), a, b, hn::Zero(D32()), other);
  return hn::RearrangeToOddPlusEven(sum, other);
#endif
}

// 4 + 4 values of 32 bits of each block → 8 of 16, saturated.
HWY_INLINE V16 narrow_in_blocks(V32 low, V32 high) {
#if HWY_TARGET <= HWY_SSSE3
  return hn::ReorderDemote2To(D16(), low, high);
#else
  const hn::Half<D16> half;
  return hn::Combine(D16(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}

// 8 + 8 values of 16 bits of each block → 16 of 8, clipped to 0..255.
HWY_INLINE V8 clip_in_blocks(V16 low, V16 high) {
#if HWY_TARGET <= HWY_AVX3
  return V8{_mm512_packus_epi16(low.raw, high.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V8{_mm256_packus_epi16(low.raw, high.raw)};
#elif HWY_TARGET <= HWY_SSSE3
  return V8{_mm_packus_epi16(low.raw, high.raw)};
#else
  const hn::Half<D8> half;
  return hn::Combine(D8(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}

// The same, clipped to -128..127.
HWY_INLINE V8 clip_signed_in_blocks(V16 low, V16 high) {
#if HWY_TARGET <= HWY_AVX3
  return V8{_mm512_packs_epi16(low.raw, high.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V8{_mm256_packs_epi16(low.raw, high.raw)};
#elif HWY_TARGET <= HWY_SSSE3
  return V8{_mm_packs_epi16(low.raw, high.raw)};
#else
  const hn::RebindToSigned<hn::Half<D8>> half;
  return hn::BitCast(
      D8(), hn::Combine(hn::RebindToSigned<D8>(), hn::DemoteTo(half, high), hn::DemoteTo(half, low)));
#endif
}

// first × a[2i] + second × a[2i+1], where each of `weights` holds `first` in its lower byte and `second` in
// its upper one, neither above 127, and no sum exceeds 16 bits.
HWY_INLINE V16 weigh_byte_pairs(V8 a, V16 weights) {
#if HWY_TARGET <= HWY_AVX3
  return V16{_mm512_maddubs_epi16(a.raw, weights.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V16{_mm256_maddubs_epi16(a.raw, weights.raw)};
#elif HWY_TARGET <= HWY_SSSE3
  return V16{_mm_maddubs_epi16(a.raw, weights.raw)};
#else
  const D16 d16;
  const V16 low_byte = hn::Set(d16, 0xFF);
  const V16 even = hn::And(hn::BitCast(d16, a), low_byte);
  const V16 odd = hn::BitCast(d16, hn::ShiftRight<8>(hn::BitCast(hn::RebindToUnsigned<D16>(), a)));
  return hn::Add(hn::Mul(even, hn::And(weights, low_byte)), hn::Mul(odd, hn::ShiftRight<8>(weights)));
#endif
}

// Stores the first block of `low`, the first of `high`, the second of `low`, and so on.
HWY_INLINE void store_in_turns(V8 low, V8 high, std::uint8_t* out) {
#if HWY_TARGET <= HWY_AVX3
  const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const __m512i second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  hn::StoreU(V8{_mm512_permutex2var_epi64(low.raw, first, high.raw)}, D8(), out);
  hn::StoreU(V8{_mm512_permutex2var_epi64(low.raw, second, high.raw)}, D8(), out + 64);
#elif HWY_TARGET == HWY_AVX2
  hn::StoreU(hn::ConcatLowerLower(D8(), high, low), D8(), out);
  hn::StoreU(hn::ConcatUpperUpper(D8(), high, low), D8(), out + 32);
#else
  hn::StoreU(low, D8(), out);
  hn::StoreU(high, D8(), out + 16);
#endif
}

// Two numbers of 16 bits, over and over: a factor of multiply_pairs().
HWY_INLINE V16 set_pairs(std::int16_t first, std::int16_t second) {
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint16_t>(first));
  const auto high = static_cast<std::uint32_t>(static_cast<std::uint16_t>(second));
  return hn::BitCast(D16(), hn::Set(D32(), static_cast<std::int32_t>(low | high << 16)));
}

// Interleaves the lower, or upper, halves of blocks by units of D's lane.
template <class D, class V>
HWY_INLINE V lower_of(D d, V a, V b) {
  return hn::BitCast(hn::DFromV<V>(), hn::InterleaveLower(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}
template <class D, class V>
HWY_INLINE V upper_of(D d, V a, V b) {
  return hn::BitCast(hn::DFromV<V>(), hn::InterleaveUpper(d, hn::BitCast(d, a), hn::BitCast(d, b)));
}

#endif  // scalar targets

}  // namespace stoker::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once a target
