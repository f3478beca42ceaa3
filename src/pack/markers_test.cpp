#include "pack/markers.hpp"

#include <gtest/gtest.h>

#include "stoker/image.hpp"

#include "jpeg/encoder.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::byte> small_jpeg() {
  std::vector<std::uint8_t> rgb(48 * 32 * 3);
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<std::uint8_t>(i * 7);
  jpeg::Encoder encoder;
  const auto bytes = encoder.encode(rgb.data(), 48, 32, 48 * 3, {});
  EXPECT_TRUE(bytes.has_value());
  return {bytes->begin(), bytes->end()};
}

TEST(Markers, AWholeJpegHasItsEnd) { EXPECT_TRUE(has_end_of_image(small_jpeg())); }

TEST(Markers, ATrailerBehindTheEndIsNoHarm) {
  auto jpeg = small_jpeg();
  for (int i = 0; i < 1000; ++i) jpeg.push_back(static_cast<std::byte>(i));
  EXPECT_TRUE(has_end_of_image(jpeg));
}

TEST(Markers, EveryCutIsSeen) {
  const auto jpeg = small_jpeg();
  for (std::size_t size = 0; size < jpeg.size(); ++size) {
    EXPECT_FALSE(has_end_of_image(std::span(jpeg).first(size))) << size << " of " << jpeg.size() << " bytes";
  }
}

TEST(Markers, AnEndInsideAThumbnailDoesNotCount) {
  // SOI, APP1 that holds a whole little JPEG, SOS, entropy bytes, no EOI.
  const auto cut =
      bytes_of({0xFF, 0xD8, 0xFF, 0xE1, 0, 8, 0xFF, 0xD8, 0xFF, 0xD9, 1, 2, 0xFF, 0xDA, 0, 2, 0x12, 0x34});
  EXPECT_FALSE(has_end_of_image(cut));
}

TEST(Markers, StuffedBytesAndRestartsAreNoEnd) {
  const auto cut = bytes_of({0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0, 0xD9, 0xFF, 0xD0, 0xD9, 0xFF, 0});
  EXPECT_FALSE(has_end_of_image(cut));
}

TEST(Markers, ASegmentThatClaimsMoreThanThereIsEndsTheSearch) {
  EXPECT_FALSE(has_end_of_image(bytes_of({0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF, 0xFF, 0xD9})));
  EXPECT_FALSE(has_end_of_image(bytes_of({0xFF, 0xD8, 0xFF, 0xE1, 0, 0, 0xFF, 0xD9})));
}

TEST(Markers, OrientationSurvivesInTheBytes) {
  const auto jpeg = small_jpeg();
  for (int orientation = 2; orientation <= 8; ++orientation) {
    std::vector<std::byte> turned;
    insert_orientation(jpeg, orientation, turned);
    const ImageInfo info = read_image_info(turned);
    EXPECT_EQ(info.orientation, orientation);
    EXPECT_EQ(info.width, 48);
    EXPECT_EQ(info.height, 32);
    EXPECT_EQ(decode_image(turned).rgb, decode_image(jpeg).rgb);
    EXPECT_EQ(turned.size(), jpeg.size() + 36);
  }
}

TEST(Markers, TheJfifHeaderStaysInFront) {
  std::vector<std::byte> turned;
  insert_orientation(small_jpeg(), 6, turned);
  EXPECT_EQ(turned[3], std::byte{0xE0});
}

TEST(Markers, OddWholeFilesAreNotCalledCutAndCutOnesAre) {
  STOKER_NEEDS_DATA(folder, "odd-images");
  int whole = 0, cut = 0;
  for (const auto& row : test::read_tsv(folder + "/MANIFEST.tsv")) {
    const std::string& name = row.at("file");
    const std::string text = test::read_file(folder + "/" + name);
    if (!text.starts_with("\xFF\xD8")) continue;
    const bool has_end = has_end_of_image(std::as_bytes(std::span(text)));
    if (row.at("expected") == "decode") {
      EXPECT_TRUE(has_end) << name;
      ++whole;
    } else if (name.starts_with("truncated-") && name != "truncated-2544x3300-restarts.jpg") {
      EXPECT_FALSE(has_end) << name;
      ++cut;
    }
  }
  EXPECT_GT(whole, 60);
  EXPECT_GE(cut, 3);
}

}  // namespace
}  // namespace stoker::packing
