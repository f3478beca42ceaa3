#include "jpeg/decode_table.hpp"

#include <gtest/gtest.h>

#include "jpeg/fixtures.hpp"

namespace stoker::jpeg {
namespace {

// T.81's way, a bit at a time: length of the code at the top of `bits`, and its byte; length 0: none.
std::pair<int, int> slow_symbol(const HuffmanSpec& spec, std::uint64_t bits) {
  int code = 0, first = 0, index = 0;
  for (int length = 1; length <= 16; ++length) {
    code = code << 1 | static_cast<int>(bits >> (64 - length) & 1);
    const int count = spec.count[static_cast<std::size_t>(length)];
    if (code - first < count) return {length, spec.symbol[static_cast<std::size_t>(index + code - first)]};
    index += count;
    first = (first + count) << 1;
  }
  return {0, 0};
}

// T.81 F.2.2.1, EXTEND.
int slow_value(std::uint64_t bits, int length, int size) {
  if (size == 0) return 0;
  const int number = static_cast<int>(bits << length >> (64 - size));
  return number < 1 << (size - 1) ? number - (1 << size) + 1 : number;
}

HuffmanSpec spec_of_a_photo(bool ac) {
  const auto file = fixtures::encode(fixtures::picture(64, 64), 64, 64, {});
  BaselineFrame frame;
  EXPECT_FALSE(read_baseline_frame(file, frame));
  return ac ? frame.ac[0] : frame.dc[0];
}

void expect_equal_symbols(const HuffmanSpec& spec, bool is_ac) {
  DecodeTable table{};
  ASSERT_TRUE(make_decode_table(spec, is_ac, table));
  SampleRng rng(1, 0, 0, 0);
  for (std::uint64_t top = 0; top < 65536; ++top) {
    const std::uint64_t bits = top << 48 | (std::uint64_t{rng.next_u32()} << 16);
    Symbol symbol = table.symbol[bits >> (64 - kLookupBits)];
    if ((symbol & kRare) != 0) symbol = rare_symbol(table, bits);
    const auto [length, byte] = slow_symbol(spec, bits);
    const unsigned advance = advance_of(symbol);
    if (length == 0) {
      ASSERT_EQ(advance, kNoSuchCode) << top;
      continue;
    }
    const int size = byte & 15;
    const bool ends = is_ac && size == 0 && byte >> 4 != 15;
    ASSERT_EQ(symbol & kLengthMask, static_cast<unsigned>(length + size)) << top;
    ASSERT_EQ(advance, ends ? kEndOfBlock : is_ac ? static_cast<unsigned>(byte >> 4) + 1 : 1u) << top;
    const auto code_and_value = static_cast<std::uint32_t>(bits >> (64 - length - size));
    ASSERT_EQ(static_cast<std::int16_t>(code_and_value - (symbol >> 8)), slow_value(bits, length, size))
        << top;
  }
}

TEST(DecodeTable, GivesCodeRunAndValue) {
  expect_equal_symbols(spec_of_a_photo(false), false);
  expect_equal_symbols(spec_of_a_photo(true), true);
}

TEST(DecodeTable, TakesCodesOfAllLengthsAndSizes) {
  HuffmanSpec spec;
  spec.defined = true;
  for (std::size_t length = 1; length <= 16; ++length) spec.count[length] = 1;
  for (std::size_t i = 0; i < 16; ++i) spec.symbol[i] = static_cast<std::uint8_t>(i * 16 + (15 - i));
  expect_equal_symbols(spec, true);
}

TEST(DecodeTable, RefusesMoreCodesThanFit) {
  HuffmanSpec spec;
  spec.count[1] = 3;
  DecodeTable table{};
  EXPECT_FALSE(make_decode_table(spec, true, table));
}

TEST(DecodeTable, RefusesADcSizeAbove15) {
  HuffmanSpec spec;
  spec.count[2] = 1;
  spec.symbol[0] = 16;
  DecodeTable table{};
  EXPECT_FALSE(make_decode_table(spec, false, table));
  EXPECT_TRUE(make_decode_table(spec, true, table));
}

TEST(SkipTable, AdvancesAsItsSymbolsOneByOne) {
  DecodeTable table{};
  ASSERT_TRUE(make_decode_table(spec_of_a_photo(true), true, table));
  SkipTable skip{};
  make_skip_table(table, skip);
  int several = 0;
  for (unsigned index = 0; index < 1u << kLookupBits; ++index) {
    const unsigned step = skip.step[index];
    if ((step & kRare) != 0) continue;
    unsigned length = 0, advance = 0, symbols = 0;
    while (length < (step & kLengthMask)) {
      const Symbol symbol = table.symbol[index << length & ((1u << kLookupBits) - 1)];
      ASSERT_EQ(symbol & kRare, 0u);
      length += symbol & kLengthMask;
      advance += advance_of(symbol);
      ++symbols;
    }
    ASSERT_EQ(length, step & kLengthMask);
    ASSERT_EQ(advance, step >> 8);
    several += symbols > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 500);
}

}  // namespace
}  // namespace stoker::jpeg
