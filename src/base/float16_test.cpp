#include "base/float16.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace stoker {
namespace {

TEST(Float16, EveryHalfComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_f16(half);
    if ((bits & 0x7FFF) > 0x7C00) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(to_f16(value), half) << bits;
    }
  }
}

TEST(Float16, KnownValues) {
  EXPECT_EQ(from_f16(0x3C00), 1.0F);
  EXPECT_EQ(from_f16(0xC100), -2.5F);
  EXPECT_EQ(from_f16(0x7BFF), 65504.0F);
  EXPECT_EQ(from_f16(0x0400), 0x1p-14F);
  EXPECT_EQ(from_f16(0x0001), 0x1p-24F);  // the least one
  EXPECT_EQ(from_f16(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(from_f16(0x8000)));
}

TEST(Float16, HalvesAreInTheOrderOfTheirNumbers) {
  for (std::uint16_t half = 0; half < 0x7C00; ++half)
    ASSERT_LT(from_f16(half), from_f16(static_cast<std::uint16_t>(half + 1))) << half;
}

}  // namespace
}  // namespace stoker
