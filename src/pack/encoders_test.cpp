#include <gtest/gtest.h>

#include "pack/pixel_encoders.hpp"
#include "pack/test_images.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

TEST(PngEncoder, EveryPixelComesBack) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {300, 1}, {97, 61}}) {
    const Picture original = picture(width, height, 3);
    const Image decoded = decode_image(as_bytes(png_file(width, height, 3)));
    EXPECT_EQ(decoded.width, width);
    EXPECT_EQ(decoded.height, height);
    EXPECT_EQ(decoded.rgb, original.rgb) << width << " x " << height;
  }
}

TEST(PngEncoder, RowsMayLieApart) {
  const Picture wide = picture(80, 40, 1);
  std::vector<std::byte> out;
  ASSERT_TRUE(encode_png({wide.rgb.data() + 30, 20, 40, 80 * 3}, false, 1, out));
  const Image part = decode_image(out);
  const Image expected = decode_image(as_bytes(png_file(80, 40, 1)), {.crop = Rect{10, 0, 20, 40}});
  EXPECT_EQ(part.rgb, expected.rgb);
}

TEST(PngEncoder, GrayIsOneChannel) {
  const std::string file = png_file(50, 40, 2, true);
  EXPECT_EQ(read_image_info(as_bytes(file)).components, 1);
  EXPECT_EQ(decode_image(as_bytes(file)).rgb, picture(50, 40, 2, true).rgb);
}

TEST(PngEncoder, KeepsTheOrientation) {
  std::vector<std::byte> out;
  ASSERT_TRUE(encode_png(picture(12, 8, 1).view(), false, 6, out));
  EXPECT_EQ(read_image_info(out).orientation, 6);
}

TEST(WebpEncoder, LosslessIsLosslessAndKnownAsSuch) {
  const std::string file = webp_file(60, 44, 5, true);
  EXPECT_TRUE(webp_is_lossless(as_bytes(file)));
  EXPECT_EQ(decode_image(as_bytes(file)).rgb, picture(60, 44, 5).rgb);
  EXPECT_FALSE(webp_is_lossless(as_bytes(webp_file(60, 44, 5, false))));
  EXPECT_FALSE(webp_is_lossless({}));
}

TEST(WebpEncoder, QualityIsHeeded) {
  std::vector<std::byte> coarse, fine;
  ASSERT_TRUE(encode_webp(picture(200, 160, 1).view(), 20, false, coarse));
  ASSERT_TRUE(encode_webp(picture(200, 160, 1).view(), 95, false, fine));
  EXPECT_LT(coarse.size(), fine.size());
}

TEST(WebpEncoder, ASideBeyondTheFormatIsAnError) {
  const std::vector<std::uint8_t> row(3 * 16'384);
  std::vector<std::byte> out;
  EXPECT_FALSE(encode_webp({row.data(), 16'384, 1, row.size()}, 90, false, out));
}

}  // namespace
}  // namespace stoker::packing
