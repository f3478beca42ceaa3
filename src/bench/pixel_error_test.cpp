#include "bench/pixel_error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace stoker::bench {
namespace {

image::RgbView view_of(const std::vector<std::uint8_t>& pixels, int width, int height, std::size_t stride) {
  return {pixels.data(), width, height, stride};
}

TEST(PixelError, IsTheMeanTheLargestAndThePsnrOfAllSamples) {
  const std::vector<std::uint8_t> wanted(12, 100);
  std::vector<std::uint8_t> off = wanted;
  off[0] = 104;
  off[11] = 98;
  PixelErrorSum sum;
  sum.add("good", view_of(wanted, 2, 2, 6), view_of(wanted, 2, 2, 6));
  sum.add("off", view_of(off, 2, 2, 6), view_of(wanted, 2, 2, 6));
  EXPECT_FALSE(sum.exact());
  const std::optional<PixelError> error = sum.error();
  ASSERT_TRUE(error);
  EXPECT_DOUBLE_EQ(error->mean, 6.0 / 24);
  EXPECT_EQ(error->max, 4);
  EXPECT_DOUBLE_EQ(error->psnr_db, 10 * std::log10(255.0 * 255 / (20.0 / 24)));
  EXPECT_DOUBLE_EQ(error->worst_psnr_db, 10 * std::log10(255.0 * 255 / (20.0 / 12)));
  EXPECT_EQ(error->worst_key, "off");
}

TEST(PixelError, WhatLiesBetweenRowsIsNoPixel) {
  const std::vector<std::uint8_t> tight(12, 7);
  std::vector<std::uint8_t> wide(16, 7);
  wide[6] = wide[7] = 200;
  PixelErrorSum sum;
  sum.add("a", view_of(wide, 2, 2, 8), view_of(tight, 2, 2, 6));
  EXPECT_TRUE(sum.exact());
  ASSERT_TRUE(sum.error());
  EXPECT_EQ(sum.error()->mean, 0);
  EXPECT_TRUE(std::isinf(sum.error()->psnr_db));
}

TEST(PixelError, AnotherShapeHasNone) {
  const std::vector<std::uint8_t> pixels(12, 7);
  PixelErrorSum sum;
  sum.add("a", view_of(pixels, 4, 1, 12), view_of(pixels, 2, 2, 6));
  EXPECT_FALSE(sum.exact());
  EXPECT_FALSE(sum.error());
}

}  // namespace
}  // namespace stoker::bench
