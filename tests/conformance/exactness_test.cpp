// Real and odd pictures come out as libjpeg-turbo decodes them: whole, in regions, by seek points, and
// damaged.
//
// Built twice: the unit suite takes a share of the photos, the slow one (STOKER_WHOLE_SAMPLE) all of them.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "stoker/image.hpp"
#include "stoker/index.hpp"
#include "stoker/record.hpp"

#include "base/philox.hpp"
#include "image/decoder.hpp"
#include "image/sniff.hpp"
#include "jpeg/jpeg_reader.hpp"
#include "jpeg/turbo_decoder.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

#ifdef STOKER_WHOLE_SAMPLE
constexpr std::size_t kPhotos = 1000, kPhotoStep = 1, kFlippedPhotos = 200, kIndexedPhotos = 200;
constexpr int kCrops = 50, kFlips = 100, kLargeCrops = 6;
#else
constexpr std::size_t kPhotos = 1000, kPhotoStep = 10, kFlippedPhotos = 10, kIndexedPhotos = 20;
constexpr int kCrops = 10, kFlips = 20, kLargeCrops = 2;
#endif

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

void flip_a_bit(std::string& file, std::size_t at, SampleRng& rng) {
  file[at] = static_cast<char>(file[at] ^ (1 << rng.below(8)));
}

// A full decode by whichever reader.
struct Picture {
  bool decoded = false;
  std::string complaint;  // the warning, or the error
  Size size;
  std::vector<std::uint8_t> rgb;
  friend bool operator==(const Picture& a, const Picture& b) {
    return a.decoded == b.decoded && a.complaint == b.complaint && a.rgb == b.rgb;
  }
};

template <class Reader>
Picture decode_whole(Reader& reader, const std::string& file) {
  const auto refused = [](const Error& error) {
    return Picture{.complaint = error.what(), .size = {}, .rgb = {}};
  };
  const auto size = reader.open(bytes_of(file), kDefaultMaxPixels);
  if (!size) return refused(size.error());
  const auto held = reader.begin({0, 0, size->width, size->height});
  if (!held) return refused(held.error());
  const std::size_t stride = 3 * static_cast<std::size_t>(size->width);
  Picture picture{.decoded = true, .complaint = {}, .size = *size, .rgb = {}};
  picture.rgb.resize(stride * static_cast<std::size_t>(size->height));
  if (auto done = reader.read(picture.rgb.data(), stride); !done) return refused(done.error());
  picture.complaint = std::string(reader.warning());
  return picture;
}

bool is_part_of(const image::RgbView& part, const Rect& crop, const Picture& whole) {
  for (int y = 0; y < crop.height; ++y) {
    const std::uint8_t* right = whole.rgb.data() + 3 * (static_cast<std::size_t>(crop.y + y) *
                                                            static_cast<std::size_t>(whole.size.width) +
                                                        static_cast<std::size_t>(crop.x));
    const std::uint8_t* row = part.data + static_cast<std::size_t>(y) * part.stride;
    if (std::memcmp(row, right, 3 * static_cast<std::size_t>(crop.width)) != 0) return false;
  }
  return true;
}

struct Counts {
  int tested = 0, own = 0, by_points = 0;
};

class Exactness : public testing::Test {
 protected:
  // The whole file, then random crops, half of them through seek points where the file can have them.
  void compare(const std::string& file, const std::string& name, int crops) {
    Picture whole = decode_whole(turbo_, file);
    if (image::sniff(bytes_of(file)) == ImageKind::jpeg) {
      EXPECT_TRUE(decode_whole(own_, file) == whole) << name << ": " << whole.complaint;
      counts_.own += own_.reason() ? 0 : 1;
    } else if (!(whole = decode_by_kind(file)).decoded) {
      return;
    }
    if (!whole.decoded) return;
    ++counts_.tested;
    const std::vector<std::byte> points = make_seek_points(bytes_of(file));
    SampleRng rng(11, 0, static_cast<std::uint64_t>(whole.size.width), 0);
    for (int i = 0; i < crops; ++i) {
      const Rect crop = random_rect(whole.size, rng);
      SCOPED_TRACE(name + ": " + std::to_string(crop.width) + "x" + std::to_string(crop.height) + " at " +
                   std::to_string(crop.x) + "," + std::to_string(crop.y));
      expect_crop(file, crop, {}, whole);
      if (!points.empty()) expect_crop(file, crop, points, whole);
      if (HasFailure()) return;
    }
    counts_.by_points += points.empty() ? 0 : 1;
  }

  void expect_crop(const std::string& file, const Rect& crop, std::span<const std::byte> points,
                   const Picture& whole) {
    const auto part = decoder_.decode(bytes_of(file), {.crop = crop, .seek_points = points});
    ASSERT_TRUE(part) << part.error().what();
    EXPECT_FALSE(part->points_failed);
    if (!points.empty()) {
      EXPECT_EQ(part->route, image::DecodeRoute::seek);
    }
    EXPECT_TRUE(is_part_of(part->pixels, crop, whole));
  }

  // PNG and WebP have one decoder each: their regions are compared with their whole.
  Picture decode_by_kind(const std::string& file) {
    const auto decoded = decoder_.decode(bytes_of(file), {});
    Picture picture{.decoded = decoded.has_value(), .complaint = {}, .size = {}, .rgb = {}};
    if (!decoded) return picture;
    picture.size = {decoded->pixels.width, decoded->pixels.height};
    for (int y = 0; y < picture.size.height; ++y) {
      const std::uint8_t* row = decoded->pixels.data + static_cast<std::size_t>(y) * decoded->pixels.stride;
      picture.rgb.insert(picture.rgb.end(), row, row + 3 * picture.size.width);
    }
    return picture;
  }

  jpeg::JpegReader own_;
  jpeg::TurboDecoder turbo_;
  image::Decoder decoder_;
  Counts counts_;
};

TEST_F(Exactness, OfOddImages) {
  STOKER_NEEDS_DATA(folder, "odd-images");
  for (const auto& row : test::read_tsv(folder + "/MANIFEST.tsv")) {
    const std::string file = test::read_file(folder + "/" + row.at("file"));
    const auto info = decoder_.info(bytes_of(file));
    const bool small = info && std::int64_t{info->width} * info->height <= 500'000;
    compare(file, row.at("file"), small ? 50 : 2);
  }
  EXPECT_GE(counts_.tested, 95);
  EXPECT_GE(counts_.own, 40);
  EXPECT_GE(counts_.by_points, 30);
}

TEST_F(Exactness, OfPhotos) {
  STOKER_NEEDS_DATA(tar, "imagenet-sample.tar");
  const auto photos = test::read_tar(tar, kPhotos);
  for (std::size_t i = 0; i < photos.size(); i += kPhotoStep)
    compare(photos[i].second, photos[i].first, kCrops);
  const int all = static_cast<int>(kPhotos / kPhotoStep);
  EXPECT_EQ(counts_.tested, all);
  EXPECT_GE(counts_.own, all * 99 / 100);
  EXPECT_GE(counts_.by_points, all * 99 / 100);
}

TEST_F(Exactness, OfLargePhotos) {
  STOKER_NEEDS_DATA(folder, "large-photos");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jpg") continue;
    compare(test::read_file(entry.path()), entry.path().filename().string(), kLargeCrops);
  }
  EXPECT_EQ(counts_.tested, 10);
  EXPECT_EQ(counts_.own, 9) << "all but the progressive one";
  EXPECT_EQ(counts_.by_points, 7) << "two have restart markers";
}

// One bit of a photo flipped: the same fate, words and pixels. Every fourth flip hits the header, where
// lengths, tables and sizes are.
TEST_F(Exactness, OfFlippedPhotos) {
  STOKER_NEEDS_DATA(tar, "imagenet-sample.tar");
  constexpr std::size_t kHeader = 620;
  int tried = 0, refused = 0, warned = 0, own = 0;
  for (const auto& [name, photo] : test::read_tar(tar, kFlippedPhotos)) {
    SampleRng rng(21, 0, photo.size(), 0);
    for (int i = 0; i < kFlips; ++i, ++tried) {
      std::string flipped = photo;
      flip_a_bit(flipped, rng.below(i % 4 == 0 ? std::min(kHeader, photo.size()) : photo.size()), rng);
      const Picture turbo = decode_whole(turbo_, flipped);
      ASSERT_TRUE(decode_whole(own_, flipped) == turbo) << name << ", flip " << i << ": " << turbo.complaint;
      refused += turbo.decoded ? 0 : 1;
      warned += turbo.decoded && !turbo.complaint.empty() ? 1 : 0;
      own += own_.reason() ? 0 : 1;
    }
  }
  RecordProperty("flips", tried);
  RecordProperty("refused", refused);
  RecordProperty("warned", warned);
  RecordProperty("own", own);
  EXPECT_EQ(tried, static_cast<int>(kFlippedPhotos) * kFlips);
  EXPECT_GT(refused, tried / 200) << "the damage must reach what is tested here";
  EXPECT_GT(warned, tried / 20);
  EXPECT_GT(own, tried / 20);
}

// A flip that decodes without a complaint is seen by the checksum that the seek index holds.
TEST_F(Exactness, OfFlippedPhotosIsWatchedByTheIndex) {
  STOKER_NEEDS_DATA(tar, "imagenet-sample.tar");
  const test::TempDir folder;
  const auto photos = test::read_tar(tar, kIndexedPhotos);
  for (const auto& [name, photo] : photos) folder.write("photos/a/" + name, photo);
  const IndexReport report = build_seek_index({.source = folder.path("photos"), .open = {}, .threads = 1});
  const OpenOptions options{.check_bytes = CheckBytes::always};
  for (int round = 0; round < kFlips; ++round) {
    SampleRng rng(22, 0, static_cast<std::uint64_t>(round), 0);
    for (const auto& [name, photo] : photos) {
      std::string flipped = photo;
      flip_a_bit(flipped, rng.below(photo.size()), rng);
      folder.write("photos/a/" + name, flipped);
    }
    const auto reader = open_records(folder.path("photos"), options);
    ASSERT_EQ(reader->seek_index().state, SeekIndexState::used) << reader->seek_index().reason;
    Sample sample;
    for (std::size_t i = 0; i < reader->size(); ++i) {
      reader->read(i, sample);
      ASSERT_TRUE(sample.seek_points.empty()) << sample.key;
    }
    ASSERT_EQ(reader->seek_index().dropped_changed, report.indexed);
  }
  EXPECT_GE(report.indexed, kIndexedPhotos * 99 / 100);
}

}  // namespace
}  // namespace stoker
