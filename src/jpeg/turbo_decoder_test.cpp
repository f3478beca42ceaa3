#include "jpeg/turbo_decoder.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "jpeg/encoder.hpp"
#include "jpeg/fixtures.hpp"
#include "jpeg/outcome_fixture.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;
using fixtures::crop;
using fixtures::Options;
using Rgb = std::vector<std::uint8_t>;

constexpr std::uint64_t kPlenty = 100'000'000;

// The pixels of `wanted`, or of the whole picture.
Result<Rgb> decode(TurboDecoder& decoder, const Bytes& file, std::optional<Rect> wanted = {},
                   std::uint64_t max_pixels = kPlenty) {
  const auto size = decoder.open(file, max_pixels);
  if (!size) return tl::unexpected(size.error());
  const Rect rect = wanted.value_or(Rect{0, 0, size->width, size->height});
  const auto held = decoder.begin(rect);
  if (!held) return tl::unexpected(held.error());
  Rgb rgb(3 * static_cast<std::size_t>(held->width) * static_cast<std::size_t>(held->height));
  if (auto done = decoder.read(rgb.data(), 3 * static_cast<std::size_t>(held->width)); !done) {
    return tl::unexpected(done.error());
  }
  return crop(rgb, held->width, {rect.x - held->x, rect.y - held->y, rect.width, rect.height});
}

struct RegionCase {
  const char* name;
  Options options;
};

class Regions : public testing::TestWithParam<RegionCase> {};

// 33 × 27 is smaller than the narrowest cut, 149 × 103 has a ragged last unit on both sides in every
// sampling.
TEST_P(Regions, EqualTheFullDecodeToTheByte) {
  TurboDecoder decoder;
  for (const Size size : {Size{1, 1}, Size{33, 27}, Size{149, 103}, Size{256, 64}}) {
    const Bytes file = fixtures::encode(fixtures::picture(size.width, size.height), size.width, size.height,
                                        GetParam().options);
    const auto whole = decode(decoder, file);
    ASSERT_TRUE(whole) << whole.error().what();
    SampleRng rng(5, 0, static_cast<std::uint64_t>(size.width), 0);
    for (int i = 0; i < 200; ++i) {
      Rect rect;
      rect.width = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size.width)));
      rect.height = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size.height)));
      rect.x = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.width - rect.width + 1)));
      rect.y = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.height - rect.height + 1)));
      const auto part = decode(decoder, file, rect);
      ASSERT_TRUE(part) << part.error().what();
      ASSERT_EQ(*part, crop(*whole, size.width, rect))
          << rect.width << "x" << rect.height << " at " << rect.x << "," << rect.y << " of " << size.width
          << "x" << size.height;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    AllSamplings, Regions,
    testing::Values(
        RegionCase{"s444", {}}, RegionCase{"s422", {.h = {2, 1, 1}}}, RegionCase{"s440", {.v = {2, 1, 1}}},
        RegionCase{"s420", {.h = {2, 1, 1}, .v = {2, 1, 1}}}, RegionCase{"s411", {.h = {4, 1, 1}}},
        RegionCase{"s410", {.h = {4, 1, 1}, .v = {2, 1, 1}}}, RegionCase{"s441", {.v = {4, 1, 1}}},
        RegionCase{"s221212", {.h = {2, 1, 1}, .v = {2, 2, 2}}},
        RegionCase{"s222112", {.h = {2, 2, 1}, .v = {2, 1, 2}}},
        RegionCase{"luma_low", {.h = {1, 2, 2}, .v = {1, 2, 2}}}, RegionCase{"gray", {.components = 1}},
        RegionCase{"cmyk", {.components = 4, .h = {2, 1, 1, 2}, .v = {2, 1, 1, 2}}},
        RegionCase{"ycck", {.components = 4, .ycck = true}},
        RegionCase{"restarts", {.h = {2, 1, 1}, .v = {2, 1, 1}, .restart_interval = 3}},
        RegionCase{"progressive420", {.h = {2, 1, 1}, .v = {2, 1, 1}, .progressive = true}},
        RegionCase{"progressive444", {.progressive = true}},
        RegionCase{"arithmetic420", {.h = {2, 1, 1}, .v = {2, 1, 1}, .arithmetic = true}}),
    [](const auto& tested) { return tested.param.name; });

// libjpeg smooths blocks whose coefficients a cut-off progressive file has not told; then neighbours matter.
TEST(TurboDecoder, RegionsOfACutOffProgressiveFileEqualItsFullDecode) {
  Bytes file = fixtures::encode(fixtures::picture(200, 150), 200, 150,
                                {.h = {2, 1, 1}, .v = {2, 1, 1}, .progressive = true});
  file.resize(file.size() / 3);
  TurboDecoder decoder;
  const auto whole = decode(decoder, file);
  ASSERT_TRUE(whole) << whole.error().what();
  EXPECT_NE(decoder.warning(), "");
  for (const Rect rect :
       {Rect{100, 70, 60, 40}, Rect{0, 149, 200, 1}, Rect{199, 0, 1, 150}, Rect{17, 33, 91, 5}}) {
    const auto part = decode(decoder, file, rect);
    ASSERT_TRUE(part) << part.error().what();
    EXPECT_EQ(*part, crop(*whole, 200, rect));
  }
}

TEST(TurboDecoder, CutsColumnsWhereThatSavesWork) {
  const Bytes file = fixtures::encode(fixtures::picture(512, 64), 512, 64, {.h = {2, 1, 1}, .v = {2, 1, 1}});
  TurboDecoder decoder;
  ASSERT_TRUE(decoder.open(file, kPlenty));
  const auto held = decoder.begin({200, 10, 100, 20});
  ASSERT_TRUE(held);
  EXPECT_LE(held->x, 198);
  EXPECT_GE(held->x + held->width, 302);
  EXPECT_LE(held->width, 100 + 4 * 16);
  EXPECT_EQ(held->y, 10);
  EXPECT_EQ(held->height, 20);
}

TEST(TurboDecoder, ScalesByPowersOfTwoWithSidesRoundedUp) {
  const Rgb rgb = fixtures::picture(149, 103);
  TurboDecoder decoder;
  for (const Options& options : {Options{}, Options{.h = {2, 1, 1}, .v = {2, 1, 1}}, Options{.components = 1},
                                 Options{.h = {4, 1, 1}, .v = {2, 1, 1}}, Options{.components = 4}}) {
    const Bytes file = fixtures::encode(rgb, 149, 103, options);
    const auto whole = decode(decoder, file);
    ASSERT_TRUE(whole);
    double mean = 0;
    for (const std::uint8_t value : *whole) mean += value;
    mean /= static_cast<double>(whole->size());
    for (const int denominator : {1, 2, 4, 8}) {
      ASSERT_TRUE(decoder.open(file, kPlenty));
      const auto size = decoder.begin_scaled(denominator);
      ASSERT_TRUE(size) << size.error().what();
      EXPECT_EQ(*size, (Size{(149 + denominator - 1) / denominator, (103 + denominator - 1) / denominator}));
      Rgb small(3 * static_cast<std::size_t>(size->width) * static_cast<std::size_t>(size->height));
      ASSERT_TRUE(decoder.read(small.data(), 3 * static_cast<std::size_t>(size->width)));
      double small_mean = 0;
      for (const std::uint8_t value : small) small_mean += value;
      // A box of pixels averages as its coefficients do, but for ragged last units; products of inks do not.
      if (options.components == 4) continue;
      EXPECT_NEAR(small_mean / static_cast<double>(small.size()), mean, 3) << denominator;
    }
  }
}

TEST(TurboDecoder, RefusesMorePixelsThanAllowed) {
  const Bytes file = fixtures::encode(fixtures::picture(100, 100), 100, 100, {});
  TurboDecoder decoder;
  const auto refused = decoder.open(file, 9'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::out_of_resources);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("100 x 100"));
  EXPECT_TRUE(decoder.open(file, 10'000));
}

// The size fields of a small file made huge: gray for gigabytes, or for seconds, if it were believed.
TEST(TurboDecoder, RefusesAFileTooSmallForTheSizeThatItClaims) {
  Bytes file = fixtures::encode(fixtures::picture(64, 64), 64, 64, {});
  const Bytes marker{std::byte{0xff}, std::byte{0xc0}};
  const auto frame = std::search(file.begin(), file.end(), marker.begin(), marker.end());
  ASSERT_NE(frame, file.end());
  for (int i = 0; i < 4; ++i) frame[5 + i] = std::byte{0x30};  // 12,336 × 12,336
  TurboDecoder decoder;
  const auto refused = decoder.open(file, 1'000'000'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::corrupt_data);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("12336 x 12336"));
}

// Two bits a block are the least that a whole picture takes, and such pictures exist.
TEST(TurboDecoder, ReadsTheEmptiestPicture) {
  const Rgb gray(3 * 1000 * 1000, 128);
  const Bytes file = fixtures::encode(gray, 1000, 1000, {});
  TurboDecoder decoder;
  const auto whole = decode(decoder, file);
  ASSERT_TRUE(whole) << whole.error().what();
  EXPECT_EQ(*whole, gray);
}

TEST(TurboDecoder, RefusesCoefficientsBeyondTheMemoryThatPixelsMayTake) {
  const Bytes file = fixtures::encode(fixtures::picture(200, 200), 200, 200, {.progressive = true});
  TurboDecoder decoder;
  // 3 components × 25 × 25 blocks × 128 bytes = 240,000 bytes of coefficients; 4 × 59,999 are not enough.
  const auto refused = decoder.open(file, 59'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::out_of_resources);
  EXPECT_TRUE(decoder.open(file, 60'000));
}

// One scan of a progressive file, repeated: legal for libjpeg, and each costs a pass over the whole picture.
TEST(TurboDecoder, RefusesScansWithoutEnd) {
  const Bytes file =
      fixtures::encode(fixtures::picture(64, 64), 64, 64, {.components = 1, .progressive = true});
  std::vector<std::size_t> scans;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xff} && file[i + 1] == std::byte{0xda}) scans.push_back(i);
  }
  ASSERT_GE(scans.size(), 2u);
  Bytes bomb(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(scans[1]));
  for (int i = 0; i < 2'000; ++i) {
    bomb.insert(bomb.end(), file.begin() + static_cast<std::ptrdiff_t>(scans[0]),
                file.begin() + static_cast<std::ptrdiff_t>(scans[1]));
  }
  bomb.push_back(std::byte{0xff});
  bomb.push_back(std::byte{0xd9});
  TurboDecoder decoder;
  const auto refused = decode(decoder, bomb);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::corrupt_data);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("scans"));
}

// Motion-JPEG frames lack Huffman tables; libjpeg supplies the standard ones, unless another file's are still
// there.
TEST(TurboDecoder, NothingOfOnePictureReachesTheNext) {
  const Rgb rgb = fixtures::picture(96, 80);
  const Bytes ordinary = fixtures::encode(rgb, 96, 80, {});
  Bytes without_tables;
  for (std::size_t at = 0; at < ordinary.size();) {
    const bool table =
        ordinary[at] == std::byte{0xff} && at + 3 < ordinary.size() && ordinary[at + 1] == std::byte{0xc4};
    if (table) {
      at += 2 + (std::to_integer<std::size_t>(ordinary[at + 2]) << 8 |
                 std::to_integer<std::size_t>(ordinary[at + 3]));
    } else {
      without_tables.push_back(ordinary[at++]);
    }
  }
  ASSERT_LT(without_tables.size(), ordinary.size());
  Encoder encoder;
  const auto optimised = encoder.encode(rgb.data(), 96, 80, 3 * 96, {.quality = 40, .optimize = true});
  ASSERT_TRUE(optimised);
  const Bytes other(optimised->begin(), optimised->end());

  TurboDecoder fresh, used;
  const auto expected = decode(fresh, without_tables);
  ASSERT_TRUE(expected) << expected.error().what();
  ASSERT_TRUE(decode(used, other));
  const auto again = decode(used, without_tables);
  ASSERT_TRUE(again) << again.error().what();
  EXPECT_EQ(*again, *expected);
  EXPECT_EQ(*again, *decode(fresh, ordinary));
}

TEST(TurboDecoder, TellsWhatItCouldStillRead) {
  const Bytes whole_file = fixtures::encode(fixtures::picture(160, 120), 160, 120, {});
  Bytes file = whole_file;
  file.resize(file.size() / 2);
  TurboDecoder decoder;
  ASSERT_TRUE(decode(decoder, file));
  EXPECT_EQ(decoder.warning(), "Premature end of JPEG file");
  ASSERT_TRUE(decode(decoder, whole_file));
  EXPECT_EQ(decoder.warning(), "") << "a complaint belongs to one picture";
}

TEST(TurboDecoder, GoesOnBehindAnyFailure) {
  const Bytes good = fixtures::encode(fixtures::picture(160, 120), 160, 120, {});
  TurboDecoder decoder;
  const auto expected = decode(decoder, good);
  ASSERT_TRUE(expected);
  SampleRng rng(9, 0, 0, 0);
  int failures = 0;
  for (int i = 0; i < 500; ++i) {
    Bytes damaged = good;
    for (int flips = 0; flips < 3; ++flips) {
      // Two thirds of the damage goes to the header, where most failures are.
      const std::size_t at = rng.below(flips < 2 ? 620 : damaged.size());
      damaged[at] ^= std::byte{1} << static_cast<int>(rng.below(8));
    }
    failures += decode(decoder, damaged).has_value() ? 0 : 1;
    if (i % 50 == 0) {
      ASSERT_EQ(*decode(decoder, good), *expected);
    }
  }
  EXPECT_GT(failures, 20) << "the damage must reach what is tested here";
  EXPECT_EQ(*decode(decoder, good), *expected);
}

TEST(TurboDecoder, NamesWhatLibjpegSays) {
  TurboDecoder decoder;
  const Bytes empty;
  const auto refused = decoder.open(empty, kPlenty);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::corrupt_data);
  EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("Empty input file"));

  Bytes lossless = fixtures::encode(fixtures::picture(16, 16), 16, 16, {});
  for (std::size_t i = 0; i + 1 < lossless.size(); ++i) {
    if (lossless[i] == std::byte{0xff} && lossless[i + 1] == std::byte{0xc0})
      lossless[i + 1] = std::byte{0xc5};
  }
  const auto beyond = decoder.open(lossless, kPlenty);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace stoker::jpeg
