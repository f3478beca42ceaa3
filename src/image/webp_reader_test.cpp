#include "image/webp_reader.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/endian.hpp"
#include "image/fixtures.hpp"

namespace stoker::image {
namespace {

using fixtures::Bytes;
using fixtures::Rgb;

constexpr std::uint64_t kPlenty = 100'000'000;

Rgb rgba_picture(int width, int height, bool opaque) {
  Rgb rgba;
  SampleRng rng(4, 0, 0, 0);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      rgba.push_back(static_cast<std::uint8_t>(x * 255 / width));
      rgba.push_back(static_cast<std::uint8_t>(y * 255 / height));
      rgba.push_back(static_cast<std::uint8_t>((x + y) * 3));
      rgba.push_back(opaque ? std::uint8_t{255} : static_cast<std::uint8_t>(rng.below(256)));
    }
  }
  return rgba;
}

Rgb without_alpha(const Rgb& rgba) {
  Rgb rgb;
  for (std::size_t i = 0; i < rgba.size(); ++i) {
    if (i % 4 != 3) rgb.push_back(rgba[i]);
  }
  return rgb;
}

Result<Rgb> read(WebpReader& reader, const Bytes& file) {
  const auto size = reader.open(file, kPlenty);
  if (!size) return tl::unexpected(size.error());
  const auto held = reader.begin({0, 0, 1, 1});
  if (!held) return tl::unexpected(held.error());
  Rgb rgb(3 * static_cast<std::size_t>(held->width) * static_cast<std::size_t>(held->height));
  if (auto done = reader.read(rgb.data(), 3 * static_cast<std::size_t>(held->width)); !done) {
    return tl::unexpected(done.error());
  }
  return rgb;
}

TEST(WebpReader, LosslessGivesBackThePixelsAndDropsAlpha) {
  WebpReader reader;
  for (const bool opaque : {true, false}) {
    for (const Size size : {Size{53, 31}, Size{1, 1}}) {
      const Rgb rgba = rgba_picture(size.width, size.height, opaque);
      const auto rgb = read(reader, fixtures::webp(rgba, size.width, size.height, true));
      ASSERT_TRUE(rgb) << rgb.error().what();
      EXPECT_EQ(*rgb, without_alpha(rgba));
    }
  }
}

TEST(WebpReader, LossyIsNearThePixels) {
  WebpReader reader;
  for (const bool opaque : {true, false}) {
    const Rgb rgba = rgba_picture(160, 120, opaque);
    const auto rgb = read(reader, fixtures::webp(rgba, 160, 120, false, 90));
    ASSERT_TRUE(rgb) << rgb.error().what();
    const Rgb expected = without_alpha(rgba);
    double sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) sum += std::abs((*rgb)[i] - expected[i]);
    // Quality 90 of a gradient with wrapping edges: subsampled chroma is the larger part of this.
    EXPECT_LT(sum / static_cast<double>(expected.size()), 6);
  }
}

TEST(WebpReader, TellsTheHeaderAndTheOrientation) {
  const Rgb rgba = rgba_picture(40, 30, true);
  Bytes file = fixtures::webp(rgba, 40, 30, true);
  const auto info = WebpReader().info(file);
  ASSERT_TRUE(info) << info.error().what();
  EXPECT_EQ(info->kind, ImageKind::webp);
  EXPECT_EQ(info->width, 40);
  EXPECT_EQ(info->height, 30);
  EXPECT_EQ(info->components, 3);
  EXPECT_EQ(info->orientation, 1);

  // The extended form: VP8X (EXIF flag, canvas size less one), the picture, EXIF.
  Bytes extended(file.begin(), file.begin() + 12);
  fixtures::append_text(extended, std::string_view("VP8X\x0a\0\0\0\x08\0\0\0\x27\0\0\x1d\0\0", 18));
  extended.insert(extended.end(), file.begin() + 12, file.end());
  fixtures::append_text(extended, std::string_view("EXIF\x1a\0\0\0", 8));
  fixtures::append_text(
      extended, std::string_view("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26));
  store_le(extended.data() + 4, static_cast<std::uint32_t>(extended.size() - 8));
  const auto turned = WebpReader().info(extended);
  ASSERT_TRUE(turned) << turned.error().what();
  EXPECT_EQ(turned->orientation, 6);
  WebpReader reader;
  EXPECT_EQ(*read(reader, extended), without_alpha(rgba));
}

TEST(WebpReader, RefusesAnimationsByName) {
  Bytes file;
  fixtures::append_text(file,
                        std::string_view("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x27\0\0\x1d\0\0", 30));
  fixtures::append_text(file, std::string_view("ANIM\x06\0\0\0\0\0\0\0\0\0", 14));
  store_le(file.data() + 4, static_cast<std::uint32_t>(file.size() - 8));
  const auto refused = WebpReader().info(file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::unsupported);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("animation"));
}

TEST(WebpReader, RefusesMorePixelsThanAllowed) {
  const Bytes file = fixtures::webp(rgba_picture(100, 100, true), 100, 100, true);
  WebpReader reader;
  const auto refused = reader.open(file, 9'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::out_of_resources);
  EXPECT_TRUE(reader.open(file, 10'000));
}

TEST(WebpReader, RefusesCutsAndSurvivesDamage) {
  WebpReader reader;
  for (const bool lossless : {true, false}) {
    const Bytes good = fixtures::webp(rgba_picture(64, 48, false), 64, 48, lossless);
    for (std::size_t bytes = 0; bytes < good.size() - 1; bytes += 41) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bytes));
      const auto refused = read(reader, cut);
      ASSERT_FALSE(refused) << bytes;
      EXPECT_EQ(refused.error().code(), ErrorCode::corrupt_data) << bytes << refused.error().what();
    }
    SampleRng rng(6, 0, 0, 0);
    for (int i = 0; i < 500; ++i) {
      Bytes damaged = good;
      damaged[rng.below(damaged.size())] ^= std::byte{1} << static_cast<int>(rng.below(8));
      const auto rgb = read(reader, damaged);
      if (!rgb) {
        EXPECT_NE(rgb.error().code(), ErrorCode::internal);
      }
    }
    EXPECT_TRUE(read(reader, good)) << "and goes on";
  }
}

}  // namespace
}  // namespace stoker::image
