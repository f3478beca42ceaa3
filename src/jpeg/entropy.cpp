#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/entropy.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "jpeg/entropy.hpp"

#include <bit>
#include <cstring>

#include <hwy/foreach_target.h>  // compiles this file once an instruction set: BMI2's shifts and rotates
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::jpeg::HWY_NAMESPACE {

// The coefficient that a symbol stands for, of which only 16 bits count.
HWY_INLINE std::int16_t value_of(std::uint64_t bits, Symbol symbol) {
  const auto code_and_value = static_cast<std::uint32_t>(bits >> (-symbol & kLengthMask));
  return static_cast<std::int16_t>(code_and_value - std::rotr(symbol, 8));
}

HWY_INLINE void put(BlockRecord* block, const DecodeTable* table, std::uint64_t k, std::int16_t value) {
  std::memcpy(reinterpret_cast<std::uint8_t*>(block) + table->place[k], &value, sizeof value);
}

HWY_INLINE void refill(Lane& lane) {
  const auto used = static_cast<unsigned>(std::countr_zero(lane.bits));
  lane.next += used >> 3;
  lane.bits = (load_bits(lane.next) | 1) << (used & 7);
}

HWY_INLINE void step(Lane& lane) {
  const std::uint64_t bits = lane.bits;
  const DecodeTable* const table = lane.table;
  const Symbol symbol = table->symbol[bits >> (64 - kLookupBits)];
  lane.bits = bits << (symbol & kLengthMask);
  lane.k += advance_of(symbol);
  put(lane.block, table, lane.k, value_of(bits, symbol));
  lane.table = lane.block->ac;
  // One branch for all that is not the common case.
  if (HWY_UNLIKELY(lane.k > 63)) {
    if (HWY_UNLIKELY((symbol & kRare) != 0)) {
      refill(lane);
      const std::uint64_t fresh = lane.bits;
      const Symbol rare = rare_symbol(*table, fresh);
      lane.bits = fresh << (rare & kLengthMask);
      refill(lane);
      lane.k += advance_of(rare) - std::uint64_t{kRareAdvance};
      put(lane.block, table, lane.k, value_of(fresh, rare));
      if (lane.k <= 63) return;
    }
    lane.table = lane.block->next_dc;
    ++lane.block;
    lane.k = 0;
    if (HWY_UNLIKELY(lane.next > lane.limit + 8)) lane.block = lane.end;
  }
}

// Lanes as plain locals, so that they stay in registers as far as those go.
template <int kLanes>
void run(Lane* lanes) {
  Lane a = lanes[0], b = kLanes > 1 ? lanes[1] : a, c = kLanes > 2 ? lanes[2] : a,
       d = kLanes > 3 ? lanes[3] : a;
  for (;;) {
    refill(a);
    if constexpr (kLanes > 1) refill(b);
    if constexpr (kLanes > 2) refill(c);
    if constexpr (kLanes > 3) refill(d);
#pragma GCC unroll 4
    for (int i = 0; i < kSymbolsPerRefill; ++i) {
      step(a);
      if constexpr (kLanes > 1) step(b);
      if constexpr (kLanes > 2) step(c);
      if constexpr (kLanes > 3) step(d);
    }
    bool done = a.block == a.end;
    if constexpr (kLanes > 1) done |= b.block == b.end;
    if constexpr (kLanes > 2) done |= c.block == c.end;
    if constexpr (kLanes > 3) done |= d.block == d.end;
    if (HWY_UNLIKELY(done)) break;
  }
  lanes[0] = a;
  if constexpr (kLanes > 1) lanes[1] = b;
  if constexpr (kLanes > 2) lanes[2] = c;
  if constexpr (kLanes > 3) lanes[3] = d;
}

void run_lanes(Lane* lanes, int count) {
  switch (count) {
    case 1:
      return run<1>(lanes);
    case 2:
      return run<2>(lanes);
    case 3:
      return run<3>(lanes);
    default:
      return run<4>(lanes);
  }
}

// One stream loads ahead of need: where to load from does not hang on the latest symbol, which is what a
// single chain of look-ups wants.
class Reader {
 public:
  explicit HWY_INLINE Reader(BitStream& stream)
      : stream_(stream), bits_(stream.bits), next_(stream.next), held_(stream.held) {}
  HWY_INLINE ~Reader() {
    stream_.bits = bits_;
    stream_.next = next_;
    stream_.held = held_ & 63;
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // 56 bits or more are held then.
  HWY_INLINE void refill() {
    held_ &= 63;
    bits_ |= load_bits(next_) >> held_;
    next_ += (63 - held_) >> 3;
    held_ |= 56;
  }
  HWY_INLINE std::uint64_t bits() const { return bits_; }
  HWY_INLINE void drop(std::uint32_t lengths) {  // only the lowest six bits count
    bits_ <<= lengths & kLengthMask;
    held_ -= lengths;
  }
  // The next symbol, taken off; `before` gets the bits that it stands on top of.
  HWY_INLINE Symbol take(const DecodeTable* table, std::uint64_t& before) {
    before = bits_;
    Symbol symbol = table->symbol[before >> (64 - kLookupBits)];
    if (HWY_UNLIKELY((symbol & kRare) != 0)) {
      refill();
      before = bits_;
      symbol = rare_symbol(*table, before);
      drop(symbol);
      refill();
    } else {
      drop(symbol);
    }
    return symbol;
  }
  HWY_INLINE bool is_past_end() const { return next_ > stream_.limit + 8; }

 private:
  BitStream& stream_;
  std::uint64_t bits_;
  const std::uint8_t* next_;
  std::uint32_t held_;
};

HWY_INLINE std::uint64_t take_and_put(Reader& reader, const DecodeTable* table, BlockRecord* block,
                                      std::uint64_t k) {
  std::uint64_t before;
  const Symbol symbol = reader.take(table, before);
  k += advance_of(symbol);
  put(block, table, k, value_of(before, symbol));
  return k;
}

bool decode_blocks(BitStream& stream, const DecodeTable* first_table, BlockRecord* begin, BlockRecord* end) {
  Reader reader(stream);
  const DecodeTable* dc = first_table;
  for (BlockRecord* block = begin; block != end; ++block) {
    const DecodeTable* const ac = block->ac;
    reader.refill();
    std::uint64_t k = take_and_put(reader, dc, block, 0);
    while (k < 64) {
      k = take_and_put(reader, ac, block, k);
      if (k > 63) break;
      k = take_and_put(reader, ac, block, k);
      if (k > 63) break;
      reader.refill();
      k = take_and_put(reader, ac, block, k);
    }
    dc = block->next_dc;
    if (HWY_UNLIKELY(reader.is_past_end())) return false;
  }
  return true;
}

// One look-up's worth of AC symbols passed over; false: no such code, or a coefficient behind the block's
// last.
HWY_INLINE bool skip_step(Reader& reader, const SkipBlock& block, std::uint64_t& k) {
  const std::uint32_t step = block.steps->step[reader.bits() >> (64 - kLookupBits)];
  const std::uint64_t advanced = k + (step >> 8);
  // Symbols that cross a block's end without an end of block belong to the next block: one at a time then.
  const bool crosses = advanced > 64 && (advanced < kEndOfBlock || advanced > kEndOfBlock + 63);
  if (HWY_UNLIKELY((step & kRare) != 0 || crosses)) {
    reader.refill();
    std::uint64_t before;
    k += advance_of(reader.take(block.ac, before));
    return k <= 64 || k >= kEndOfBlock;
  }
  reader.drop(step);
  k = advanced;
  return true;
}

// A block's AC coefficients, behind a DC symbol and no refill.
HWY_INLINE bool skip_ac(Reader& reader, const SkipBlock& block) {
  std::uint64_t k = 1;
  bool sound = true;
  for (;;) {
    sound &= skip_step(reader, block, k);
    if (k > 63) break;
    sound &= skip_step(reader, block, k);
    if (k > 63) break;
    sound &= skip_step(reader, block, k);
    if (k > 63) break;
    reader.refill();
  }
  return sound;
}

bool skip_mcus(BitStream& stream, const SkipBlock* blocks, int count, int mcus, std::array<int, 3>& dc) {
  Reader reader(stream);
  std::array<int, 3> sum = dc;
  bool sound = true;
  for (int mcu = 0; mcu < mcus; ++mcu) {
    for (int i = 0; i < count; ++i) {
      const SkipBlock& block = blocks[i];
      reader.refill();
      std::uint64_t before;
      const Symbol symbol = reader.take(block.dc, before);
      sound &= advance_of(symbol) == 1;
      sum[static_cast<std::size_t>(block.component)] += value_of(before, symbol);
      sound &= skip_ac(reader, block);
    }
    if (HWY_UNLIKELY(!sound || reader.is_past_end())) return false;
  }
  dc = sum;
  return true;
}

}  // namespace stoker::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::jpeg {

HWY_EXPORT(run_lanes);
HWY_EXPORT(decode_blocks);
HWY_EXPORT(skip_mcus);

void run_lanes(Lane* lanes, int count) { HWY_DYNAMIC_DISPATCH(run_lanes)(lanes, count); }
bool decode_blocks(BitStream& stream, const DecodeTable* first_table, BlockRecord* begin, BlockRecord* end) {
  return HWY_DYNAMIC_DISPATCH(decode_blocks)(stream, first_table, begin, end);
}
bool skip_mcus(BitStream& stream, const SkipBlock* blocks, int count, int mcus, std::array<int, 3>& dc) {
  return HWY_DYNAMIC_DISPATCH(skip_mcus)(stream, blocks, count, mcus, dc);
}

void Lane::start(const std::uint8_t* first, int bit, const std::uint8_t* data_end,
                 const DecodeTable* first_table, BlockRecord* begin, BlockRecord* terminal) {
  next = first;
  bits = (load_bits(first) | 1) << bit;
  table = first_table;
  block = begin;
  k = 0;
  end = terminal;
  limit = data_end;
}

std::ptrdiff_t Lane::bits_left() const {
  const auto used = static_cast<std::ptrdiff_t>(std::countr_zero(bits));
  return (limit - next) * 8 - used;
}

void BitStream::start(const std::uint8_t* first, int bit, const std::uint8_t* data_end) {
  limit = data_end;
  next = first + 7;
  held = 56 - static_cast<std::uint32_t>(bit);
  bits = load_bits(first) << bit;
  bits = bits >> (64 - held) << (64 - held);
}

}  // namespace stoker::jpeg
#endif
