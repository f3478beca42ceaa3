#include "image/pixel_encoders.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "stoker/image.hpp"

namespace stoker::image {
namespace {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  RgbView view() const { return {rgb.data(), width, height, static_cast<std::size_t>(width) * 3}; }
};

Picture waves(int width, int height, bool gray = false) {
  Picture p{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const double phase = gray ? 0 : c;
        p.rgb.push_back(
            static_cast<std::uint8_t>(128 + 100 * std::sin(x * 0.13 + phase) * std::cos(y * 0.07 + phase)));
      }
    }
  }
  return p;
}

std::vector<std::byte> png(const RgbView& pixels, bool gray = false, std::span<const std::byte> exif = {}) {
  std::vector<std::byte> out;
  const auto done = encode_png(pixels, gray, exif, out);
  if (!done) throw done.error();
  return out;
}

TEST(PngEncoder, EveryPixelComesBack) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {300, 1}, {97, 61}}) {
    const Picture original = waves(width, height);
    const Image decoded = decode_image(png(original.view()));
    EXPECT_EQ(decoded.width, width);
    EXPECT_EQ(decoded.height, height);
    EXPECT_EQ(decoded.rgb, original.rgb) << width << " x " << height;
  }
}

TEST(PngEncoder, RowsMayLieApart) {
  const Picture wide = waves(80, 40);
  const Image part = decode_image(png({wide.rgb.data() + 30, 20, 40, 80 * 3}));
  const Image expected = decode_image(png(wide.view()), {.crop = Rect{10, 0, 20, 40}});
  EXPECT_EQ(part.rgb, expected.rgb);
}

TEST(PngEncoder, GrayIsOneChannel) {
  const Picture gray = waves(50, 40, true);
  const auto file = png(gray.view(), true);
  EXPECT_EQ(read_image_info(file).components, 1);
  EXPECT_EQ(decode_image(file).rgb, gray.rgb);
}

TEST(PngEncoder, TheExifBlockIsWritten) {
  // Little-endian TIFF, one directory of one entry: Orientation, SHORT, 1 value, 6.
  const std::string tiff("II\x2A\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
  const auto file = png(waves(12, 8).view(), false, std::as_bytes(std::span(tiff)));
  EXPECT_EQ(read_image_info(file).orientation, 6);
  EXPECT_EQ(decode_image(file).rgb, waves(12, 8).rgb);
}

TEST(WebpEncoder, LosslessIsLosslessAndKnownAsSuch) {
  const Picture original = waves(60, 44);
  std::vector<std::byte> exact, lossy;
  ASSERT_TRUE(encode_webp(original.view(), 90, true, exact));
  ASSERT_TRUE(encode_webp(original.view(), 90, false, lossy));
  EXPECT_TRUE(webp_is_lossless(exact));
  EXPECT_EQ(decode_image(exact).rgb, original.rgb);
  EXPECT_FALSE(webp_is_lossless(lossy));
  EXPECT_FALSE(webp_is_lossless({}));
}

TEST(WebpEncoder, QualityIsHeeded) {
  const Picture original = waves(200, 160);
  std::vector<std::byte> coarse, fine;
  ASSERT_TRUE(encode_webp(original.view(), 10, false, coarse));
  ASSERT_TRUE(encode_webp(original.view(), 98, false, fine));
  EXPECT_LT(coarse.size(), fine.size());
}

TEST(WebpEncoder, ASideBeyondTheFormatIsAnError) {
  const std::vector<std::uint8_t> row(std::size_t{3} * 16'384);
  std::vector<std::byte> out;
  EXPECT_FALSE(encode_webp({row.data(), 16'384, 1, row.size()}, 90, false, out));
}

}  // namespace
}  // namespace stoker::image
