// Huffman tables in the form that the entropy stage reads: one look-up gives a code and the value behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "jpeg/baseline_frame.hpp"

namespace stoker::jpeg {

// What the next kLookupBits bits begin with: a code of T.81 F.2.2 and the s bits of its value. Since the
// index covers the value's first bit, its sign, the value needs no extension step: with w = the number that
// code and value bits make together, it is int16(w - offset).
//   bits 0..5    length of code and value
//   bit  6       rare: the look-up does not suffice, ask rare_symbol(); length 0, advance kRareAdvance
//   bits 8..23   offset
//   bits 24..31  advance: coefficients that it covers, zeros and its own; or kEndOfBlock, kNoSuchCode
using Symbol = std::uint32_t;
inline constexpr int kLookupBits = 11;
inline constexpr Symbol kLengthMask = 63, kRare = 64;
constexpr unsigned advance_of(Symbol symbol) { return symbol >> 24; }

// A block is over once 64 coefficients are covered, or at a symbol that advances so far. From any k below 64
// on, the three ranges of k + advance are apart.
inline constexpr unsigned kNoSuchCode = 65, kEndOfBlock = 129, kRareAdvance = 192;

// The longest code with value that the fast path takes: three of them fit behind one refill.
inline constexpr int kSymbolsPerRefill = 3, kFastLength = 56 / kSymbolsPerRefill;

// A block's coefficients on the way from the bits to the inverse transform, with what a lane needs to go on.
// The coefficients are zero between uses.
struct DecodeTable;
struct alignas(32) BlockRecord {
  std::int16_t coefficient[64];  // natural order
  const DecodeTable* ac;         // of this block
  const DecodeTable* next_dc;    // of the block behind it
  std::int16_t beyond;           // gets what a damaged file puts behind coefficient 63
  std::int16_t ended;            // gets what an end of block writes
};
static_assert(sizeof(BlockRecord) == 160);

struct alignas(64) DecodeTable {
  // Byte offset in a BlockRecord of what is written once k coefficients are covered: 1..64 coefficients in
  // the file's order, up to 128 `beyond`; `ended` behind that, and at 0, where only the parking table leads.
  std::array<std::uint8_t, 256> place;
  std::array<Symbol, std::size_t{1} << kLookupBits> symbol;
  // For codes longer than the look-up, by length: the first 16-bit number past the codes of that length, and
  // what turns a code into a place in `byte`.
  std::array<std::uint32_t, 18> limit;
  std::array<std::int32_t, 18> first;
  std::array<std::uint8_t, 256> byte;  // run and size, as the file has them
  bool is_ac = false;
  int shortest_rare = 1;  // code length
};

// False where the codes do not fit (T.81 C.2), or a DC symbol is above 15: what libjpeg refuses.
bool make_decode_table(const HuffmanSpec& spec, bool is_ac, DecodeTable& table);

// A table that consumes nothing: lanes wait on it.
const DecodeTable& parking_table();

// The symbol at the top of `bits`, of which 32 or more are valid; of any length.
Symbol rare_symbol(const DecodeTable& table, std::uint64_t bits);

// Several symbols at a look-up, where values do not matter: for blocks that are passed over.
//   bits 0..5  length of all, bit 6: none (ask the DecodeTable), bits 8..15: positions that they advance,
//   plus kEndOfBlock if the last one ends the block
struct alignas(64) SkipTable {
  std::array<std::uint16_t, std::size_t{1} << kLookupBits> step;
};
void make_skip_table(const DecodeTable& ac, SkipTable& table);

}  // namespace stoker::jpeg
