// Real photos through the packer, compared with what the exact decoder and resize make of them.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/pack.hpp"
#include "stoker/record.hpp"

#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  if (a.size() != b.size() || a.empty()) return 255;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

// Writes the val photos of the flower set as DIR/photos/CLASS/NAME; returns key → bytes, in the folder's
// order.
std::map<std::string, std::string> extract_flowers(const test::TempDir& dir, const std::string& tar) {
  std::map<std::string, std::string> photos;
  for (auto& [name, bytes] : test::read_tar(tar)) {
    const std::size_t val = name.find("val/");
    if (val == std::string::npos || !name.ends_with(".jpg")) continue;
    const std::string key = name.substr(val + 4);
    dir.write("photos/" + key, bytes);
    photos.emplace(key, std::move(bytes));
  }
  return photos;
}

Size short_side_96(const ImageInfo& info) {
  if (info.width <= info.height) return {96, info.height * 96 / info.width};
  return {info.width * 96 / info.height, 96};
}

TEST(PackPhotos, ResizedFlowersAreTheExactResizeWithinJpegLoss) {
  STOKER_NEEDS_DATA(tar, "small-photos.tar");
  const test::TempDir dir;
  const auto photos = extract_flowers(dir, tar);
  ASSERT_EQ(photos.size(), 355U);
  PackOptions options{.source = dir.path("photos"), .destination = dir.path("val.rec"), .resize_short = 96};
  const PackReport report = pack(options);
  EXPECT_EQ(report.packed, photos.size());
  EXPECT_TRUE(report.skipped.empty() && report.warned.empty());
  EXPECT_EQ(report.changed.at("resized"), photos.size());
  const auto reader = open_records(options.destination);
  EXPECT_EQ(reader->classes(), report.classes);
  Sample sample;
  std::size_t i = 0;
  double sum = 0, worst = 0;
  for (const auto& [key, bytes] : photos) {
    reader->read(i++, sample);
    const ImageInfo source = read_image_info(bytes_of(bytes)), packed = read_image_info(sample.main());
    EXPECT_EQ(packed.sampling, source.sampling) << key;
    const Size size = short_side_96(source);
    EXPECT_EQ(packed.width, size.width) << key;
    EXPECT_EQ(packed.height, size.height) << key;
    const double difference =
        mean_difference(decode_image(sample.main()).rgb, decode_image(bytes_of(bytes), {.resize = size}).rgb);
    sum += difference;
    worst = std::max(worst, difference);
    EXPECT_EQ(reader->classes().at(static_cast<std::size_t>(sample.labels.at(0))),
              key.substr(0, key.find('/')));
  }
  // Quality 90, 4:4:4: what is left is the quantisation of a 96-pixel picture. Measured: mean 2.7, worst 4.7
  // levels.
  EXPECT_LT(sum / static_cast<double>(i), 3.5);
  EXPECT_LT(worst, 6);
}

TEST(PackPhotos, LargePhotosDecodedSmallStayCloseToTheExactResize) {
  STOKER_NEEDS_DATA(folder, "large-photos");
  const test::TempDir dir;
  std::filesystem::create_directories(dir.path("photos"));
  std::filesystem::create_symlink(folder, dir.path("photos/large"));
  PackOptions options{
      .source = dir.path("photos"), .destination = dir.path("large.rec"), .resize_short = 256};
  options.encode = Encode::png;  // so that the scaled decode is the only difference
  const PackReport report = pack(options);
  EXPECT_EQ(report.skipped_count, 0U);
  EXPECT_EQ(report.changed.at("scaled_decode"), report.packed);
  const auto source = open_records(options.source), packed = open_records(options.destination);
  ASSERT_EQ(source->size(), packed->size());
  Sample original, small;
  for (std::size_t i = 0; i < source->size(); ++i) {
    source->read(i, original);
    packed->read(i, small);
    const Image got = decode_image(small.main());
    const Image exact = decode_image(original.main(), {.resize = Size{got.width, got.height}});
    // Measured: 0.15 to 1.2 levels; the inverse transform's own low-pass is not the
    // filter's.
    EXPECT_LT(mean_difference(got.rgb, exact.rgb), 1.5) << original.key;
  }
}

}  // namespace
}  // namespace stoker
