// Regions of real and odd pictures equal the same part of the full decode; damaged photos neither crash nor
// hang.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "stoker/image.hpp"

#include "base/philox.hpp"
#include "image/decoder.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Rect random_rect(Size size, SampleRng& rng) {
  Rect rect;
  rect.width = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size.width)));
  rect.height = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size.height)));
  rect.x = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.width - rect.width + 1)));
  rect.y = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.height - rect.height + 1)));
  return rect;
}

// Compares `crops` random regions of a file with its full decode; false if the file cannot be decoded.
bool expect_regions_equal(image::Decoder& decoder, const std::string& file, const std::string& name,
                          int crops) {
  const auto whole = decoder.decode(bytes_of(file), {});
  if (!whole) return false;
  const Size size{whole->pixels.width, whole->pixels.height};
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < size.height; ++y) {
    const std::uint8_t* row = whole->pixels.data + static_cast<std::size_t>(y) * whole->pixels.stride;
    rgb.insert(rgb.end(), row, row + 3 * size.width);
  }
  SampleRng rng(11, 0, static_cast<std::uint64_t>(size.width), 0);
  for (int i = 0; i < crops; ++i) {
    const Rect crop = random_rect(size, rng);
    const auto part = decoder.decode(bytes_of(file), {.crop = crop});
    EXPECT_TRUE(part) << name << ": " << part.error().what();
    if (!part) return true;
    for (int y = 0; y < crop.height; ++y) {
      const std::uint8_t* right =
          rgb.data() + 3 * (static_cast<std::size_t>(crop.y + y) * static_cast<std::size_t>(size.width) +
                            static_cast<std::size_t>(crop.x));
      const std::uint8_t* row = part->pixels.data + static_cast<std::size_t>(y) * part->pixels.stride;
      const bool equal = std::memcmp(row, right, 3 * static_cast<std::size_t>(crop.width)) == 0;
      EXPECT_TRUE(equal) << name << ": row " << y << " of " << crop.width << "x" << crop.height << " at "
                         << crop.x << "," << crop.y << " of " << size.width << "x" << size.height;
      if (!equal) return true;
    }
  }
  return true;
}

TEST(Regions, OfOddImagesEqualTheFullDecode) {
  STOKER_NEEDS_DATA(folder, "odd-images");
  image::Decoder decoder;
  int tested = 0;
  for (const auto& row : test::read_tsv(folder + "/MANIFEST.tsv")) {
    const std::string file = test::read_file(folder + "/" + row.at("file"));
    const auto info = decoder.info(bytes_of(file));
    if (!info) continue;
    const bool small = std::int64_t{info->width} * info->height <= 500'000;
    tested += expect_regions_equal(decoder, file, row.at("file"), small ? 50 : 2) ? 1 : 0;
  }
  EXPECT_GE(tested, 95);
}

TEST(Regions, OfPhotosEqualTheFullDecode) {
  STOKER_NEEDS_DATA(tar, "imagenet-sample.tar");
  image::Decoder decoder;
  int tested = 0;
  const auto photos = test::read_tar(tar, 480);
  for (std::size_t i = 0; i < photos.size(); i += 8) {
    EXPECT_TRUE(expect_regions_equal(decoder, photos[i].second, photos[i].first, 20)) << photos[i].first;
    ++tested;
  }
  EXPECT_EQ(tested, 60);
}

TEST(Regions, OfLargePhotosEqualTheFullDecode) {
  STOKER_NEEDS_DATA(folder, "large-photos");
  image::Decoder decoder;
  int tested = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jpg") continue;
    const std::string name = entry.path().filename().string();
    tested += expect_regions_equal(decoder, test::read_file(entry.path()), name, 2) ? 1 : 0;
  }
  EXPECT_EQ(tested, 10);
}

// One bit of a real photo flipped, 50 times each: decoded or refused, in little more than its own time.
TEST(DamagedPhotos, NeitherCrashNorHang) {
  STOKER_NEEDS_DATA(tar, "small-photos.tar");
  image::Decoder decoder;
  int refused = 0, warned = 0, tried = 0;
  std::chrono::duration<double> longest{};
  for (const auto& [name, photo] : test::read_tar(tar, 30)) {
    SampleRng rng(21, 0, photo.size(), 0);
    for (int i = 0; i < 50; ++i) {
      std::string damaged = photo;
      // Every second flip hits the header, where lengths, tables and sizes are.
      const std::size_t at =
          rng.below(i % 2 == 0 ? damaged.size() : std::min<std::size_t>(700, damaged.size()));
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << rng.below(8)));
      const auto begun = std::chrono::steady_clock::now();
      const auto decoded = decoder.decode(bytes_of(damaged), {});
      longest = std::max<std::chrono::duration<double>>(longest, std::chrono::steady_clock::now() - begun);
      static_cast<void>(decoder.info(bytes_of(damaged)));
      ++tried;
      refused += decoded ? 0 : 1;
      warned += decoded && !decoded->warning.empty() ? 1 : 0;
    }
  }
  EXPECT_EQ(tried, 1'500);
  EXPECT_GT(refused, 20) << "the damage must reach what is tested here";
  EXPECT_GT(warned, 100);
  EXPECT_LT(longest.count(), 2.0);
}

}  // namespace
}  // namespace stoker
