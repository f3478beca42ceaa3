#include "image/png_reader.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "image/fixtures.hpp"

namespace stoker::image {
namespace {

using fixtures::Bytes;
using fixtures::Png;
using fixtures::Rgb;

constexpr std::uint64_t kPlenty = 100'000'000;

// `wanted`'s rows over the whole width.
Result<Rgb> read(PngReader& reader, const Bytes& file, std::optional<Rect> wanted = {}) {
  const auto size = reader.open(file, kPlenty);
  if (!size) return tl::unexpected(size.error());
  const auto held = reader.begin(wanted.value_or(Rect{0, 0, size->width, size->height}));
  if (!held) return tl::unexpected(held.error());
  Rgb rgb(3 * static_cast<std::size_t>(held->width) * static_cast<std::size_t>(held->height));
  if (auto done = reader.read(rgb.data(), 3 * static_cast<std::size_t>(held->width)); !done) {
    return tl::unexpected(done.error());
  }
  return rgb;
}

TEST(PngReader, ReadsEveryKindOfPixel) {
  PngReader reader;
  for (const auto& [color_type, depths] : std::vector<std::pair<int, std::vector<int>>>{
           {0, {1, 2, 4, 8, 16}}, {2, {8, 16}}, {3, {1, 2, 4, 8}}, {4, {8, 16}}, {6, {8, 16}}}) {
    for (const int depth : depths) {
      for (const bool interlaced : {false, true}) {
        for (const Size size : {Size{37, 23}, Size{1, 1}, Size{3, 9}}) {
          const Png png{.width = size.width,
                        .height = size.height,
                        .depth = depth,
                        .color_type = color_type,
                        .interlaced = interlaced};
          const auto rgb = read(reader, png.file());
          ASSERT_TRUE(rgb) << rgb.error().what();
          ASSERT_EQ(*rgb, png.expected())
              << "type " << color_type << " depth " << depth << " interlaced " << interlaced;
        }
      }
    }
  }
}

TEST(PngReader, ReadsOnlyTheRowsAskedFor) {
  PngReader reader;
  for (const bool interlaced : {false, true}) {
    const Png png{.width = 20, .height = 30, .interlaced = interlaced};
    const Rgb whole = png.expected();
    for (const auto& [y, height] : {std::pair{0, 1}, std::pair{7, 11}, std::pair{29, 1}, std::pair{0, 30}}) {
      const auto rows = read(reader, png.file(), Rect{5, y, 3, height});
      ASSERT_TRUE(rows);
      EXPECT_EQ(*rows, Rgb(whole.begin() + y * 60, whole.begin() + (y + height) * 60)) << interlaced << y;
    }
  }
}

TEST(PngReader, DropsTransparencyAndGamma) {
  PngReader reader;
  const Bytes gray_key{std::byte{0}, std::byte{100}};
  const Bytes gamma{std::byte{0}, std::byte{1}, std::byte{0x86}, std::byte{0xa0}};
  for (const Png& png :
       {Png{.width = 9, .height = 9, .color_type = 0, .extra_tag = "tRNS", .extra = gray_key},
        Png{.width = 9, .height = 9, .color_type = 3, .extra_tag = "tRNS", .extra = Bytes(256)},
        Png{.width = 9, .height = 9, .extra_tag = "gAMA", .extra = gamma}}) {
    const auto rgb = read(reader, png.file());
    ASSERT_TRUE(rgb) << rgb.error().what();
    EXPECT_EQ(*rgb, png.expected());
  }
}

TEST(PngReader, TellsTheHeaderAndTheOrientation) {
  Bytes exif;
  for (const int value :
       {0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0}) {
    exif.push_back(static_cast<std::byte>(value));
  }
  const auto info = PngReader().info(
      Png{.width = 40, .height = 30, .color_type = 6, .extra_tag = "eXIf", .extra = exif}.file());
  ASSERT_TRUE(info) << info.error().what();
  EXPECT_EQ(info->kind, ImageKind::png);
  EXPECT_EQ(info->width, 40);
  EXPECT_EQ(info->height, 30);
  EXPECT_EQ(info->components, 4);
  EXPECT_EQ(info->orientation, 8);
  EXPECT_EQ(PngReader().info(Png{}.file())->orientation, 1);
}

TEST(PngReader, RefusesMorePixelsThanAllowed) {
  PngReader reader;
  const Bytes file = Png{.width = 100, .height = 100}.file();
  const auto refused = reader.open(file, 9'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::out_of_resources);
  EXPECT_TRUE(reader.open(file, 10'000));
}

TEST(PngReader, RefusesAFileTooSmallForTheSizeThatItClaims) {
  Bytes file;
  fixtures::append_text(file, std::string_view("\x89PNG\r\n\x1a\n", 8));
  Bytes header;
  fixtures::append_be32(header, 15'000);
  fixtures::append_be32(header, 15'000);
  for (const int value : {8, 2, 0, 0, 0}) header.push_back(static_cast<std::byte>(value));
  fixtures::append_chunk(file, "IHDR", header);
  fixtures::append_chunk(file, "IDAT", fixtures::deflated(Bytes(1000)));
  fixtures::append_chunk(file, "IEND", {});
  const auto refused = PngReader().open(file, 1'000'000'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::corrupt_data);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("15000 x 15000"));
}

// The best that deflate can do is no reason to refuse a picture.
TEST(PngReader, ReadsTheEmptiestPicture) {
  Bytes raw(1001 * 1000);
  Bytes file;
  fixtures::append_text(file, std::string_view("\x89PNG\r\n\x1a\n", 8));
  Bytes header;
  fixtures::append_be32(header, 1'000);
  fixtures::append_be32(header, 1'000);
  for (const int value : {8, 0, 0, 0, 0}) header.push_back(static_cast<std::byte>(value));
  fixtures::append_chunk(file, "IHDR", header);
  fixtures::append_chunk(file, "IDAT", fixtures::deflated(raw));
  fixtures::append_chunk(file, "IEND", {});
  PngReader reader;
  const auto rgb = read(reader, file);
  ASSERT_TRUE(rgb) << rgb.error().what();
  EXPECT_EQ(*rgb, Rgb(3'000'000, 0));
}

TEST(PngReader, ReportsDamagedChunks) {
  const Bytes good = Png{.width = 30, .height = 20}.file();
  PngReader reader;
  Bytes damaged = good;
  damaged[damaged.size() - 12 - 6] ^= std::byte{1};  // inside the picture's data, in front of its checksum
  const auto refused = read(reader, damaged);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::corrupt_data);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("decode PNG"));
  Bytes header = good;
  header[20] ^= std::byte{1};
  EXPECT_FALSE(read(reader, header));
  ASSERT_TRUE(read(reader, good)) << "and goes on";
}

TEST(PngReader, RefusesEveryCutBeforeThePictureEnds) {
  const Bytes good = Png{.width = 30, .height = 20}.file();
  PngReader reader;
  for (std::size_t bytes = 0; bytes + 40 < good.size(); bytes += 7) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_FALSE(read(reader, cut)) << bytes;
  }
}

TEST(PngReader, SurvivesAnyDamage) {
  PngReader reader;
  for (const Png& png : {Png{.width = 30, .height = 20, .color_type = 3},
                         Png{.width = 30, .height = 20, .interlaced = true}}) {
    const Bytes good = png.file();
    SampleRng rng(2, 0, 0, 0);
    for (int i = 0; i < 1'000; ++i) {
      Bytes damaged = good;
      damaged[rng.below(damaged.size())] ^= std::byte{1} << static_cast<int>(rng.below(8));
      const auto rgb = read(reader, damaged);
      if (!rgb) {
        EXPECT_NE(rgb.error().code(), ErrorCode::internal);
      }
    }
    EXPECT_EQ(*read(reader, good), png.expected());
  }
}

}  // namespace
}  // namespace stoker::image
