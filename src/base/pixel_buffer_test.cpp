#include "base/pixel_buffer.hpp"

#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(PixelBuffer, KeepsItsMemoryForSmallerPictures) {
  PixelBuffer buffer;
  std::uint8_t* const first = *buffer.reserve(1 << 20);
  EXPECT_EQ(*buffer.reserve(1000), first);
  EXPECT_EQ(buffer.capacity(), 1U << 20);
}

TEST(PixelBuffer, GivesTheMemoryOfAHugePictureBackWithTheNextSmallerOne) {
  PixelBuffer buffer;
  ASSERT_TRUE(buffer.reserve(100 << 20));
  ASSERT_TRUE(buffer.reserve(60 << 20));  // one of its kind: kept
  EXPECT_EQ(buffer.capacity(), 100U << 20);
  ASSERT_TRUE(buffer.reserve(1000));
  EXPECT_EQ(buffer.capacity(), 1000U);
}

TEST(PixelBuffer, KeepsWhatHoldsExactlyTheBound) {
  PixelBuffer buffer;
  std::uint8_t* const first = *buffer.reserve(PixelBuffer::kKeptBytes);
  EXPECT_EQ(*buffer.reserve(1), first);
}

}  // namespace
}  // namespace stoker
