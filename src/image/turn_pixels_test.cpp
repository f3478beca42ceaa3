#include "image/turn_pixels.hpp"

#include <gtest/gtest.h>
#include <string>

namespace stoker::image {
namespace {

// A picture told by letters, rows apart by spaces; each pixel is its letter three times.
std::vector<std::uint8_t> pixels_of(const std::string& rows) {
  std::vector<std::uint8_t> rgb;
  for (const char c : rows) {
    if (c != ' ') rgb.insert(rgb.end(), 3, static_cast<std::uint8_t>(c));
  }
  return rgb;
}

std::string turned(int orientation, const std::string& rows, int width, int height) {
  const auto rgb = pixels_of(rows);
  std::vector<std::uint8_t> out;
  const RgbView view = turn_pixels({rgb.data(), width, height, static_cast<std::size_t>(width) * 3},
                                   jpeg::turn_of(orientation), out);
  std::string text;
  for (int y = 0; y < view.height; ++y) {
    if (y > 0) text += ' ';
    for (int x = 0; x < view.width; ++x) {
      const std::uint8_t* pixel = view.data + static_cast<std::size_t>(y) * view.stride + 3 * x;
      EXPECT_TRUE(pixel[0] == pixel[1] && pixel[1] == pixel[2]);
      text += static_cast<char>(pixel[0]);
    }
  }
  return text;
}

// Row 0 and column 0 of the stored picture lie, in the upright one, where EXIF 2.32 4.6.4 A says.
TEST(TurnPixels, EveryOrientationComesUpright) {
  EXPECT_EQ(turned(1, "abc def", 3, 2), "abc def");
  EXPECT_EQ(turned(2, "abc def", 3, 2), "cba fed") << "top, right";
  EXPECT_EQ(turned(3, "abc def", 3, 2), "fed cba") << "bottom, right";
  EXPECT_EQ(turned(4, "abc def", 3, 2), "def abc") << "bottom, left";
  EXPECT_EQ(turned(5, "abc def", 3, 2), "ad be cf") << "left, top";
  EXPECT_EQ(turned(6, "abc def", 3, 2), "da eb fc") << "right, top";
  EXPECT_EQ(turned(7, "abc def", 3, 2), "fc eb da") << "right, bottom";
  EXPECT_EQ(turned(8, "abc def", 3, 2), "cf be ad") << "left, bottom";
}

TEST(TurnPixels, ValuesThatAreNoOrientationTurnNothing) {
  EXPECT_FALSE(jpeg::turn_of(0).any());
  EXPECT_FALSE(jpeg::turn_of(9).any());
  EXPECT_FALSE(jpeg::turn_of(-6).any());
}

TEST(TurnPixels, TilesLeaveNothingOut) {
  // 100 × 67 pixels, every one of its own colour; a turn and its inverse give it back.
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < 100 * 67; ++i) {
    rgb.push_back(static_cast<std::uint8_t>(i));
    rgb.push_back(static_cast<std::uint8_t>(i >> 8));
    rgb.push_back(7);
  }
  for (const auto& [there, back] : {std::pair{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 8}, {7, 7}, {8, 6}}) {
    std::vector<std::uint8_t> once, twice;
    const RgbView view = turn_pixels({rgb.data(), 100, 67, 300}, jpeg::turn_of(there), once);
    turn_pixels(view, jpeg::turn_of(back), twice);
    EXPECT_EQ(twice, rgb) << there;
    EXPECT_NE(once, rgb) << there;
  }
}

TEST(TurnPixels, GapsBehindRowsAreLeftOut) {
  const std::vector<std::uint8_t> rgb = pixels_of("abXcdX");
  std::vector<std::uint8_t> out;
  turn_pixels({rgb.data(), 2, 2, 9}, jpeg::turn_of(2), out);
  EXPECT_EQ(out, pixels_of("badc"));
}

}  // namespace
}  // namespace stoker::image
