#include "base/philox.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace stoker {
namespace {

using Block = std::array<std::uint32_t, 4>;

// Known answers of the authors' Random123 distribution (kat_vectors, philox4x32 10 rounds).
TEST(Philox, EqualsItsAuthorsKnownAnswers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(SampleRng, IsAPureFunctionOfItsFourCoordinates) {
  SampleRng first(7, 3, 11, 2), again(7, 3, 11, 2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first.next_u32(), again.next_u32());
  const std::uint64_t reference = SampleRng(7, 3, 11, 2).next_u64();
  EXPECT_NE(SampleRng(8, 3, 11, 2).next_u64(), reference);
  EXPECT_NE(SampleRng(7, 4, 11, 2).next_u64(), reference);
  EXPECT_NE(SampleRng(7, 3, 12, 2).next_u64(), reference);
  EXPECT_NE(SampleRng(7, 3, 11, 3).next_u64(), reference);
  EXPECT_NE(SampleRng(7 | 1ull << 40, 3, 11, 2).next_u64(), reference);
  EXPECT_NE(SampleRng(7, 3, 11 | 1ull << 40, 2).next_u64(), reference);
}

TEST(SampleRng, BelowIsInRangeAndEven) {
  std::vector<int> seen(6);
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const std::uint64_t draw = SampleRng(1, 0, i, 0).below(6);
    ASSERT_LT(draw, 6u);
    ++seen[draw];
  }
  // 10,000 expected each; 5 standard deviations of a binomial are 456.
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 456);
  EXPECT_EQ(SampleRng(1, 0, 0, 0).below(1), 0u);
}

TEST(SampleRng, UniformStaysBelowOneAndHasItsMean) {
  SampleRng rng(5, 0, 0, 0);
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double draw = rng.uniform();
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 1);
    sum += draw;
  }
  EXPECT_NEAR(sum / 20'000, 0.5, 0.011);  // 5 standard deviations: 5 · 0.2887 / √20000 = 0.0102
}

}  // namespace
}  // namespace stoker
