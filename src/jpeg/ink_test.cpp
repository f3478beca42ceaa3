#include "jpeg/ink.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace stoker::jpeg {
namespace {

TEST(Ink, IsTheProductRoundedToNearestForEveryPair) {
  std::vector<std::uint8_t> inks(4 * 256), rgb(3 * 256);
  for (int black = 0; black < 256; ++black) {
    for (int ink = 0; ink < 256; ++ink) {
      const std::size_t at = static_cast<std::size_t>(ink) * 4;
      inks[at] = static_cast<std::uint8_t>(ink);
      inks[at + 1] = static_cast<std::uint8_t>(255 - ink);
      inks[at + 2] = 255;
      inks[at + 3] = static_cast<std::uint8_t>(black);
    }
    inverted_cmyk_to_rgb(inks.data(), 256, rgb.data());
    for (int ink = 0; ink < 256; ++ink) {
      const std::size_t at = static_cast<std::size_t>(ink) * 3;
      ASSERT_EQ(rgb[at], std::lround(ink * black / 255.0));
      ASSERT_EQ(rgb[at + 1], std::lround((255 - ink) * black / 255.0));
      ASSERT_EQ(rgb[at + 2], black);
    }
  }
}

}  // namespace
}  // namespace stoker::jpeg
