#include "jpeg/decode_table.hpp"

#include <algorithm>
#include <cstddef>

#include "jpeg/natural_order.hpp"

namespace stoker::jpeg {

namespace {

constexpr std::array<std::uint8_t, 256> make_places() {
  std::array<std::uint8_t, 256> place{};
  for (std::size_t k = 0; k < place.size(); ++k) {
    std::size_t at = offsetof(BlockRecord, ended);
    if (k >= 1 && k <= 64) at = kNaturalOrder[k - 1] * sizeof(std::int16_t);
    if (k > 64 && k < kEndOfBlock) at = offsetof(BlockRecord, beyond);
    place[k] = static_cast<std::uint8_t>(at);
  }
  return place;
}
constexpr std::array<std::uint8_t, 256> kPlaces = make_places();

// `byte` is run and size; of a DC symbol, the size alone.
Symbol make_symbol(std::uint32_t code, int length, int byte, bool is_ac, bool negative) {
  const int size = byte & 15;
  unsigned advance = is_ac ? static_cast<unsigned>(byte >> 4) + 1 : 1;
  if (is_ac && size == 0 && byte >> 4 != 15) advance = kEndOfBlock;
  const std::uint32_t offset = (code << size) + (negative ? (1U << size) - 1 : 0);
  return static_cast<Symbol>(length + size) | (offset & 0xffff) << 8 | advance << 24;
}

constexpr Symbol kAskRare = kRare | kRareAdvance << 24;

}  // namespace

bool make_decode_table(const HuffmanSpec& spec, bool is_ac, DecodeTable& table) {
  table.place = kPlaces;
  table.is_ac = is_ac;
  table.byte = spec.symbol;
  table.shortest_rare = kLookupBits + 1;
  constexpr std::size_t kSize = std::size_t{1} << kLookupBits;
  auto entry = table.symbol.begin();
  std::uint32_t code = 0;
  int index = 0;
  for (int length = 1; length <= 16; ++length) {
    const auto at = static_cast<std::size_t>(length);
    table.first[at] = index - static_cast<std::int32_t>(code);
    for (int i = 0; i < spec.count[at]; ++i, ++index, ++code) {
      if (code >> length != 0) return false;
      const int byte = spec.symbol[static_cast<std::size_t>(index)], size = byte & 15;
      if (!is_ac && byte > 15) return false;
      if (length > kLookupBits) continue;
      const auto entries = static_cast<std::ptrdiff_t>(kSize >> length);
      if (length + size > kFastLength || (size != 0 && length == kLookupBits)) {
        table.shortest_rare = std::min(table.shortest_rare, length);
        entry = std::fill_n(entry, entries, kAskRare);
        continue;
      }
      // The first bit of a value is 0 where it is negative.
      const std::ptrdiff_t half = entries / 2;
      entry = std::fill_n(entry, half, make_symbol(code, length, byte, is_ac, size != 0));
      entry = std::fill_n(entry, entries - half, make_symbol(code, length, byte, is_ac, false));
    }
    table.limit[at] = code << (16 - length);
    code <<= 1;
  }
  std::fill(entry, table.symbol.end(), kAskRare);
  return true;
}

const DecodeTable& parking_table() {
  static const DecodeTable table = [] {
    DecodeTable parked{};
    parked.place = kPlaces;
    return parked;
  }();
  return table;
}

Symbol rare_symbol(const DecodeTable& table, std::uint64_t bits) {
  const auto top = static_cast<std::uint32_t>(bits >> 48);
  for (int length = table.shortest_rare; length <= 16; ++length) {
    const auto at = static_cast<std::size_t>(length);
    if (top >= table.limit[at]) continue;
    const std::uint32_t code = top >> (16 - length);
    const int byte = table.byte[static_cast<std::size_t>(table.first[at] + static_cast<int>(code)) & 255];
    const bool negative = (byte & 15) != 0 && bits << length >> 63 == 0;
    return make_symbol(code, length, byte, table.is_ac, negative);
  }
  // The offset makes the value 1 and so leaves a mark in `beyond`.
  return Symbol{16} | ((top - 1) & 0xffff) << 8 | Symbol{kNoSuchCode} << 24;
}

void make_skip_table(const DecodeTable& ac, SkipTable& table) {
  constexpr unsigned kMask = (1U << kLookupBits) - 1;
  for (unsigned index = 0; index <= kMask; ++index) {
    unsigned length = 0, advance = 0;
    for (unsigned window = index;;) {
      const Symbol symbol = ac.symbol[window];
      const unsigned bits = symbol & kLengthMask, further = advance_of(symbol);
      if ((symbol & kRare) != 0 || bits > kLookupBits - length) break;
      if (further != kEndOfBlock && advance + further > 63) break;
      length += bits;
      advance += further;
      if (further == kEndOfBlock || length == kLookupBits) break;
      window = window << bits & kMask;
    }
    table.step[index] = static_cast<std::uint16_t>(length == 0 ? kRare : length | advance << 8);
  }
}

}  // namespace stoker::jpeg
