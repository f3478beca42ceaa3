// Huffman-coded bits → coefficients: four segments at a time, or one stream from wherever it stands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "jpeg/decode_table.hpp"

namespace stoker::jpeg {

// Readable bytes behind the data that a lane or stream may look at: what one block can take too much, and a
// load. What stands there is never believed: the position at the end tells.
inline constexpr std::size_t kEntropySlack = 512;

// The 64 bits from the byte `from` on, the first one on top.
[[gnu::always_inline]] inline std::uint64_t load_bits(const std::uint8_t* from) {
  std::uint64_t bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return __builtin_bswap64(bytes);
}

// One segment's blocks in the making. Bits come from unstuffed bytes. After its last block a lane stands on
// the terminal record behind it.
struct Lane {
  std::uint64_t bits =
      0;  // the next bit on top; the lowest set bit is no bit but marks where loaded ones end
  const std::uint8_t* next = nullptr;  // where `bits` were loaded from
  const DecodeTable* table = nullptr;  // of the next symbol
  BlockRecord* block = nullptr;
  std::uint64_t k = 0;                  // the next coefficient's zigzag position; 0: DC
  BlockRecord* end = nullptr;           // the terminal record
  const std::uint8_t* limit = nullptr;  // the data's end; a lane that has read 8 bytes past it stops early

  // Puts the lane in front of `bit` of `first`. `first_table`: of the first block's DC.
  void start(const std::uint8_t* first, int bit, const std::uint8_t* data_end, const DecodeTable* first_table,
             BlockRecord* begin, BlockRecord* terminal);
  bool is_done() const { return block == end; }
  // Bits of the data behind what was read; negative: it read past the end.
  std::ptrdiff_t bits_left() const;
};

// Runs `count` lanes, 1 to 4, until one or more of them is done.
void run_lanes(Lane* lanes, int count);

// One stream of bits, its position kept between calls.
struct BitStream {
  std::uint64_t bits = 0;               // the next bit on top
  const std::uint8_t* next = nullptr;   // the byte to load from
  std::uint32_t held = 0;               // valid bits, modulo 64
  const std::uint8_t* limit = nullptr;  // the data's end

  void start(const std::uint8_t* first, int bit, const std::uint8_t* data_end);
  // The next unread bit, counted from `origin`.
  std::ptrdiff_t position(const std::uint8_t* origin) const {
    return (next - origin) * 8 - static_cast<std::ptrdiff_t>(held & 63);
  }
  std::ptrdiff_t bits_left() const { return -position(limit); }
};

// Decodes the blocks [begin, end); false: the data ended before. `first_table`: of the first block's DC.
bool decode_blocks(BitStream& stream, const DecodeTable* first_table, BlockRecord* begin, BlockRecord* end);

// What one block of an MCU needs to be passed over.
struct SkipBlock {
  const DecodeTable* dc = nullptr;
  const DecodeTable* ac = nullptr;
  const SkipTable* steps = nullptr;
  int component = 0;
};

// Passes over `mcus` MCUs of `count` blocks each, adding the DC differences up; false: a code that does not
// exist, or the data ended before.
bool skip_mcus(BitStream& stream, const SkipBlock* blocks, int count, int mcus, std::array<int, 3>& dc);

}  // namespace stoker::jpeg
