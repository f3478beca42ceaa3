// The inverse transforms for every instruction set that Highway knows, chosen at run time. A vector holds the
// same row, or later the same column, of kBlocks blocks, each in 16 bytes of its own.
#include <cstring>

#include "jpeg/idct.hpp"
#include "jpeg/idct_weights.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/idct_simd.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "jpeg/simd_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace stoker::jpeg::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void transform_jobs(const std::array<std::uint16_t, 64>& quant, BlockSize size, const BlockJob* jobs,
                    std::size_t count, std::size_t stride) {
  inverse_transform_scalar(quant, size, jobs, count, stride);
}

#else

using idct::Weights;

struct Lower {
  static HWY_INLINE V16 pairs(V16 a, V16 b) { return hn::InterleaveLower(D16(), a, b); }
};
struct Upper {
  static HWY_INLINE V16 pairs(V16 a, V16 b) { return hn::InterleaveUpper(D16(), a, b); }
};

HWY_INLINE V32 dot(V16 pairs, const Weights& weights) {
  return multiply_pairs(pairs, set_pairs(weights.first, weights.second));
}
HWY_INLINE V32 add_dot(V32 sum, V16 pairs, const Weights& weights) {
  return hn::Add(sum, dot(pairs, weights));
}

// Numbers of 16 bits × 2^kBits, with the rounding for the shift that ends the pass. Where it fits, the
// rounding is put below the numbers as these are widened.
template <int kBits, int kShift, class Half>
HWY_INLINE V32 scaled(V16 numbers) {
  constexpr int kDown = 16 - kBits, kRounding = kShift - 1 + kDown;
  const D32 d32;
  if constexpr (kRounding < 15) {
    const V16 below = hn::Set(D16(), static_cast<std::int16_t>(1 << kRounding));
    return hn::ShiftRight<kDown>(hn::BitCast(d32, Half::pairs(below, numbers)));
  } else {
    const V32 wide = hn::ShiftRight<kDown>(hn::BitCast(d32, Half::pairs(hn::Zero(D16()), numbers)));
    return hn::Add(wide, hn::Set(d32, 1 << (kShift - 1)));
  }
}

// Transposes 8 × 8 numbers within blocks.
HWY_INLINE void transpose(V16* rows) {
  V16 a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = lower_of(D16(), rows[2 * i], rows[2 * i + 1]);
    a[2 * i + 1] = upper_of(D16(), rows[2 * i], rows[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      b[4 * i + 2 * j] = lower_of(D32(), a[4 * i + j], a[4 * i + 2 + j]);
      b[4 * i + 2 * j + 1] = upper_of(D32(), a[4 * i + j], a[4 * i + 2 + j]);
    }
  }
  for (int j = 0; j < 4; ++j) {
    rows[2 * j] = lower_of(D64(), b[j], b[4 + j]);
    rows[2 * j + 1] = upper_of(D64(), b[j], b[4 + j]);
  }
}

template <int kShift, class Half>
HWY_INLINE void full_half(const V16* in, V16 sum, V16 difference, V16 z3, V16 z4, V32* out) {
  using namespace idct;
  const V32 base[2] = {scaled<13, kShift, Half>(sum), scaled<13, kShift, Half>(difference)};
  const V16 in26 = Half::pairs(in[2], in[6]), z = Half::pairs(z3, z4);
  const V16 in71 = Half::pairs(in[7], in[1]), in53 = Half::pairs(in[5], in[3]);
  const V32 even[2] = {dot(in26, kFull26[0]), dot(in26, kFull26[1])};
  const V32 shared[2] = {dot(z, kFullZ3), dot(z, kFullZ4)};
  const V32 odd[4] = {add_dot(shared[0], in71, kFull71[0]), add_dot(shared[1], in53, kFull53[0]),
                      add_dot(shared[0], in53, kFull53[1]), add_dot(shared[1], in71, kFull71[1])};
  const V32 evens[4] = {hn::Add(base[0], even[0]), hn::Add(base[1], even[1]), hn::Sub(base[1], even[1]),
                        hn::Sub(base[0], even[0])};
  for (int i = 0; i < 4; ++i) {
    out[i] = hn::ShiftRight<kShift>(hn::Add(evens[i], odd[3 - i]));
    out[7 - i] = hn::ShiftRight<kShift>(hn::Sub(evens[i], odd[3 - i]));
  }
}

template <int kShift>
HWY_INLINE void full_pass(V16* numbers) {
  const V16 sum = hn::Add(numbers[0], numbers[4]), difference = hn::Sub(numbers[0], numbers[4]);
  const V16 z3 = hn::Add(numbers[7], numbers[3]), z4 = hn::Add(numbers[5], numbers[1]);
  V32 low[8], high[8];
  full_half<kShift, Lower>(numbers, sum, difference, z3, z4, low);
  full_half<kShift, Upper>(numbers, sum, difference, z3, z4, high);
  for (int i = 0; i < 8; ++i) numbers[i] = narrow_in_blocks(low[i], high[i]);
}

template <int kShift, class Half>
HWY_INLINE void half_half(const V16* in, V32* out) {
  using namespace idct;
  const V32 base = scaled<14, kShift, Half>(in[0]);
  const V16 in13 = Half::pairs(in[1], in[3]), in57 = Half::pairs(in[5], in[7]);
  const V32 even = dot(Half::pairs(in[2], in[6]), kHalf26);
  const V32 outer = add_dot(dot(in13, kHalf13[0]), in57, kHalf57[0]);
  const V32 inner = add_dot(dot(in13, kHalf13[1]), in57, kHalf57[1]);
  const V32 sum = hn::Add(base, even), difference = hn::Sub(base, even);
  out[0] = hn::ShiftRight<kShift>(hn::Add(sum, outer));
  out[1] = hn::ShiftRight<kShift>(hn::Add(difference, inner));
  out[2] = hn::ShiftRight<kShift>(hn::Sub(difference, inner));
  out[3] = hn::ShiftRight<kShift>(hn::Sub(sum, outer));
}

// Blocks in, samples out: 8 rows of dequantised coefficients → size × size bytes a block, row after row.
struct Full {
  static constexpr std::size_t kSize = 8, kVectors = 4;
  static constexpr bool kNeeds[8] = {true, true, true, true, true, true, true, true};
  static constexpr bool kWrapsLoneRow = true;

  static HWY_INLINE void transform(V16* rows, V8* samples) {
    full_pass<idct::kFullShifts.columns>(rows);
    transpose(rows);
    full_pass<idct::kFullShifts.rows>(rows);
    // Column after column; bytes are transposed with half the steps that 16-bit numbers need.
    const V8 c02 = clip_signed_in_blocks(rows[0], rows[2]), c13 = clip_signed_in_blocks(rows[1], rows[3]);
    const V8 c46 = clip_signed_in_blocks(rows[4], rows[6]), c57 = clip_signed_in_blocks(rows[5], rows[7]);
    const D8 d8;
    const V8 c01 = lower_of(d8, c02, c13), c23 = upper_of(d8, c02, c13);
    const V8 c45 = lower_of(d8, c46, c57), c67 = upper_of(d8, c46, c57);
    const D16 d16;
    const V8 top[2] = {lower_of(d16, c01, c23), lower_of(d16, c45, c67)};
    const V8 bottom[2] = {upper_of(d16, c01, c23), upper_of(d16, c45, c67)};
    const D32 d32;
    samples[0] = lower_of(d32, top[0], top[1]);
    samples[1] = upper_of(d32, top[0], top[1]);
    samples[2] = lower_of(d32, bottom[0], bottom[1]);
    samples[3] = upper_of(d32, bottom[0], bottom[1]);
  }
};

struct Half {
  static constexpr std::size_t kSize = 4, kVectors = 1;
  static constexpr bool kNeeds[8] = {true, true, true, true, false, true, true, true};
  static constexpr bool kWrapsLoneRow = true;

  static HWY_INLINE void transform(V16* rows, V8* samples) {
    const D16 d16;
    const D32 d32;
    V32 low[4], high[4];
    half_half<idct::kHalfShifts.columns, Lower>(rows, low);
    half_half<idct::kHalfShifts.columns, Upper>(rows, high);
    V16 lines[4];
    for (int i = 0; i < 4; ++i) lines[i] = narrow_in_blocks(low[i], high[i]);
    const V16 left[2] = {lower_of(d16, lines[0], lines[1]), lower_of(d16, lines[2], lines[3])};
    const V16 right[2] = {upper_of(d16, lines[0], lines[1]), upper_of(d16, lines[2], lines[3])};
    // Two columns of four numbers each.
    const V16 c01 = lower_of(d32, left[0], left[1]), c23 = upper_of(d32, left[0], left[1]);
    const V16 c45 = lower_of(d32, right[0], right[1]), c67 = upper_of(d32, right[0], right[1]);
    V32 out[4];
    rows_pass(c01, c23, c45, c67, out);
    const V16 even = narrow_in_blocks(out[0], out[2]), odd = narrow_in_blocks(out[1], out[3]);
    const V16 first = lower_of(d16, even, odd), second = upper_of(d16, even, odd);
    samples[0] = clip_signed_in_blocks(lower_of(d32, first, second), upper_of(d32, first, second));
  }

 private:
  // half_half() for numbers that already lie in pairs of columns.
  static HWY_INLINE void rows_pass(V16 c01, V16 c23, V16 c45, V16 c67, V32* out) {
    using namespace idct;
    constexpr int kShift = kHalfShifts.rows;
    const V32 base = scaled<14, kShift, Lower>(c01);
    const V16 in13 = Upper::pairs(c01, c23), in57 = Upper::pairs(c45, c67);
    const V32 even = dot(Lower::pairs(c23, c67), kHalf26);
    const V32 outer = add_dot(dot(in13, kHalf13[0]), in57, kHalf57[0]);
    const V32 inner = add_dot(dot(in13, kHalf13[1]), in57, kHalf57[1]);
    const V32 sum = hn::Add(base, even), difference = hn::Sub(base, even);
    out[0] = hn::ShiftRight<kShift>(hn::Add(sum, outer));
    out[1] = hn::ShiftRight<kShift>(hn::Add(difference, inner));
    out[2] = hn::ShiftRight<kShift>(hn::Sub(difference, inner));
    out[3] = hn::ShiftRight<kShift>(hn::Sub(sum, outer));
  }
};

// The second pass has two rows of work a block, so it is done with sums across the row.
HWY_ALIGN constexpr std::int16_t kQuarterRow[8] = {0, idct::kQuarter13.first, 0, idct::kQuarter13.second,
                                                   0, idct::kQuarter57.first, 0, idct::kQuarter57.second};

struct Quarter {
  static constexpr std::size_t kSize = 2, kVectors = 1;
  static constexpr bool kNeeds[8] = {true, true, false, true, false, true, false, true};
  static constexpr bool kWrapsLoneRow = false;

  static HWY_INLINE void transform(V16* rows, V8* samples) {
    using namespace idct;
    const D32 d32;
    V32 low[2], high[2];
    columns_pass<Lower>(rows, low);
    columns_pass<Upper>(rows, high);
    const V16 weights = hn::LoadDup128(D16(), kQuarterRow);
    const V32 first = multiply_pairs(narrow_in_blocks(low[0], high[0]), weights);
    const V32 second = multiply_pairs(narrow_in_blocks(low[1], high[1]), weights);
    const V32 halves = hn::Add(lower_of(d32, first, second), upper_of(d32, first, second));
    const V32 odd = hn::Add(halves, hn::Shuffle1032(halves));
    const V32 rounding = hn::Set(d32, 1 << (kQuarterShifts.rows - 1));
    const V32 base = hn::Add(hn::ShiftLeft<15>(lower_of(d32, low[0], low[1])), rounding);
    const V32 out = lower_of(d32, hn::Add(base, odd), hn::Sub(base, odd));
    const V32 shifted = hn::ShiftRight<kQuarterShifts.rows>(out);
    const V16 narrow = narrow_in_blocks(shifted, shifted);
    samples[0] = clip_signed_in_blocks(narrow, narrow);
  }

 private:
  template <class Half>
  static HWY_INLINE void columns_pass(const V16* in, V32* out) {
    using namespace idct;
    constexpr int kShift = kQuarterShifts.columns;
    const V32 base = scaled<15, kShift, Half>(in[0]);
    const V32 odd =
        add_dot(dot(Half::pairs(in[1], in[3]), kQuarter13), Half::pairs(in[5], in[7]), kQuarter57);
    out[0] = hn::ShiftRight<kShift>(hn::Add(base, odd));
    out[1] = hn::ShiftRight<kShift>(hn::Sub(base, odd));
  }
};

// The same row of each block.
HWY_INLINE V16 load_row(Coefficients* const* blocks, std::size_t offset) {
  return hn::BitCast(D16(), load_blocks(blocks, static_cast<std::ptrdiff_t>(offset)));
}

// Whole stores; no wider than the coefficients are aligned, so that none touches two cache lines.
HWY_INLINE void wipe(Coefficients* block) {
  const hn::CappedTag<std::int16_t, 16> d;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) hn::Store(hn::Zero(d), d, block + i);
}

// See idct.cpp: in blocks that have nothing but their first row that row loses its two upper bits.
template <class Size>
HWY_NOINLINE V16 wrap_lone_rows(V16 first, V16 wrapped, Coefficients* const* blocks) {
  HWY_ALIGN std::int16_t rows[2][8 * kBlocks];
  hn::Store(first, D16(), rows[0]);
  hn::Store(wrapped, D16(), rows[1]);
  for (std::size_t b = 0; b < kBlocks; ++b) {
    int rest = 0;
    for (std::size_t i = 8; i < 64; ++i) rest |= Size::kNeeds[i / 8] ? blocks[b][i] : 0;
    if (rest == 0) std::memcpy(rows[0] + 8 * b, rows[1] + 8 * b, 16);
  }
  return hn::Load(D16(), rows[0]);
}

using Block = hn::CappedTag<std::uint8_t, 16>;

HWY_INLINE void split(V8 v, hn::Vec<Block>* blocks) {
#if HWY_TARGET <= HWY_AVX3
  blocks[0] = hn::Vec<Block>{_mm512_castsi512_si128(v.raw)};
  blocks[1] = hn::Vec<Block>{_mm512_extracti32x4_epi32(v.raw, 1)};
  blocks[2] = hn::Vec<Block>{_mm512_extracti32x4_epi32(v.raw, 2)};
  blocks[3] = hn::Vec<Block>{_mm512_extracti32x4_epi32(v.raw, 3)};
#elif HWY_TARGET == HWY_AVX2
  blocks[0] = hn::LowerHalf(Block(), v);
  blocks[1] = hn::UpperHalf(Block(), v);
#else
  blocks[0] = v;
#endif
}

// The samples of one block that a vector holds: Size::kSize bytes a row.
template <class Size>
HWY_INLINE void store_rows(hn::Vec<Block> samples, std::uint8_t* out, std::size_t stride) {
  if constexpr (Size::kSize == 8) {
    const hn::Half<Block> half;
    hn::StoreU(hn::LowerHalf(half, samples), half, out);
#if HWY_TARGET <= HWY_SSSE3
    _mm_storeh_pd(reinterpret_cast<double*>(out + stride), _mm_castsi128_pd(samples.raw));
#else
    hn::StoreU(hn::UpperHalf(half, samples), half, out + stride);
#endif
  } else {
    HWY_ALIGN std::uint8_t bytes[16];
    hn::Store(samples, Block(), bytes);
    for (std::size_t row = 0; row < Size::kSize; ++row, out += stride) {
      std::memcpy(out, bytes + row * Size::kSize, Size::kSize);
    }
  }
}

template <class Size>
HWY_INLINE void transform_blocks(const V16* quant, const BlockJob* jobs, std::size_t stride) {
  const D16 d16;
  Coefficients* blocks[kBlocks];
  for (std::size_t b = 0; b < kBlocks; ++b) blocks[b] = jobs[b].coefficients;
  V16 rows[8];
  rows[0] = hn::Mul(load_row(blocks, 0), quant[0]);
  if constexpr (Size::kWrapsLoneRow) {
    const V16 wrapped = hn::ShiftRight<2>(hn::ShiftLeft<2>(rows[0]));
    if (HWY_UNLIKELY(!hn::AllTrue(d16, hn::Eq(wrapped, rows[0])))) {
      rows[0] = wrap_lone_rows<Size>(rows[0], wrapped, blocks);
    }
  }
  for (std::size_t i = 1; i < 8; ++i) {
    if (Size::kNeeds[i]) rows[i] = hn::Mul(load_row(blocks, 8 * i), quant[i]);
  }
  for (std::size_t b = 0; b < kBlocks; ++b) wipe(blocks[b]);
  V8 samples[Size::kVectors];
  Size::transform(rows, samples);
  for (std::size_t v = 0; v < Size::kVectors; ++v) {
    hn::Vec<Block> parts[kBlocks];
    split(hn::Xor(samples[v], hn::Set(D8(), 0x80)), parts);
    for (std::size_t b = 0; b < kBlocks; ++b)
      store_rows<Size>(parts[b], jobs[b].samples + 2 * v * stride, stride);
  }
}

template <class Size>
void transform_all(const std::array<std::uint16_t, 64>& quant, const BlockJob* jobs, std::size_t count,
                   std::size_t stride) {
  V16 rows[8];
  for (std::size_t i = 0; i < 8; ++i) {
    HWY_ALIGN std::int16_t row[8];
    std::memcpy(row, quant.data() + 8 * i, sizeof row);
    rows[i] = hn::LoadDup128(D16(), row);
  }
  for (std::size_t done = 0; done < count; done += kBlocks) {
    const BlockJob* batch = jobs + done;
    BlockJob rest[kBlocks];
    if (HWY_UNLIKELY(count - done < kBlocks)) {
      // The last job fills up: done several times at once, it comes out the same.
      for (std::size_t b = 0; b < kBlocks; ++b) rest[b] = jobs[done + b < count ? done + b : count - 1];
      batch = rest;
    }
    transform_blocks<Size>(rows, batch, stride);
  }
}

void transform_jobs(const std::array<std::uint16_t, 64>& quant, BlockSize size, const BlockJob* jobs,
                    std::size_t count, std::size_t stride) {
  switch (size) {
    case BlockSize::full:
      return transform_all<Full>(quant, jobs, count, stride);
    case BlockSize::half:
      return transform_all<Half>(quant, jobs, count, stride);
    case BlockSize::quarter:
      return transform_all<Quarter>(quant, jobs, count, stride);
    case BlockSize::eighth:
      return inverse_transform_scalar(quant, size, jobs, count, stride);
  }
}

#endif  // scalar targets

}  // namespace stoker::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::jpeg {

HWY_EXPORT(transform_jobs);

void inverse_transform(const std::array<std::uint16_t, 64>& quant, BlockSize size, const BlockJob* jobs,
                       std::size_t count, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(transform_jobs)(quant, size, jobs, count, stride);
}

}  // namespace stoker::jpeg
#endif
