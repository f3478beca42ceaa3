#include "jpeg/jpeg_reader.hpp"

#include <gtest/gtest.h>
#include <string>

#include "jpeg/fixtures.hpp"
#include "jpeg/outcome_fixture.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;
using fixtures::crop;
using fixtures::Options;
using fixtures::Outcome;

constexpr std::uint64_t kPlenty = 100'000'000;

template <class Reader, class Prepare>
Outcome decode(Reader& reader, const Bytes& file, std::optional<Rect> wanted, const Prepare& prepare) {
  return fixtures::decode(reader, file, kPlenty, wanted, prepare);
}

template <class Reader>
Outcome decode(Reader& reader, const Bytes& file, std::optional<Rect> wanted = {}) {
  return decode(reader, file, wanted, [] {});
}

Rect random_rect(int width, int height, SampleRng& rng) {
  Rect rect;
  rect.width = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(width)));
  rect.height = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(height)));
  rect.x = static_cast<int>(rng.below(static_cast<std::uint64_t>(width - rect.width + 1)));
  rect.y = static_cast<int>(rng.below(static_cast<std::uint64_t>(height - rect.height + 1)));
  return rect;
}

struct Kind {
  const char* name;
  Options options;
};

class JpegReaderOf : public testing::TestWithParam<Kind> {};

TEST_P(JpegReaderOf, EqualsLibjpegTurboWithAndWithoutSeekPoints) {
  JpegReader reader;
  TurboDecoder turbo;
  for (const Size size : {Size{1, 1}, Size{5, 3}, Size{33, 27}, Size{149, 103}, Size{400, 64}}) {
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
    const Bytes file = fixtures::encode(fixtures::picture(size.width, size.height), size.width, size.height,
                                        GetParam().options);
    const Outcome whole = decode(turbo, file);
    ASSERT_TRUE(whole.decoded);
    ASSERT_EQ(decode(reader, file), whole);
    ASSERT_FALSE(reader.reason());
    BaselineDecoder walker;
    SeekPoints points;
    ASSERT_FALSE(walker.open(file));
    if (!walker.has_own_entrances()) {
      ASSERT_FALSE(walker.find_seek_points(2, points));
    }
    SampleRng rng(5, 0, static_cast<std::uint64_t>(size.width), 0);
    for (int i = 0; i < 100; ++i) {
      const Rect rect = random_rect(size.width, size.height, rng);
      SCOPED_TRACE(std::to_string(rect.width) + "x" + std::to_string(rect.height) + " at " +
                   std::to_string(rect.x) + "," + std::to_string(rect.y));
      const auto expected = crop(whole.rgb, size.width, rect);
      ASSERT_EQ(decode(reader, file, rect).rgb, expected);
      ASSERT_FALSE(reader.reason());
      if (points.empty()) continue;
      ASSERT_EQ(decode(reader, file, rect, [&] { reader.enter_by(&points); }).rgb, expected);
      ASSERT_FALSE(reader.reason());
      ASSERT_FALSE(reader.points_failed());
      // The first part of the points, as an epoch of crops may leave them.
      SeekPoints some = points;
      some.complete = false;
      some.points.resize(1 + rng.below(some.points.size()));
      SeekPoints learned;
      ASSERT_EQ(decode(reader, file, rect,
                       [&] {
                         reader.enter_by(&some);
                         reader.learn(&learned, i % 2 == 0);
                       })
                    .rgb,
                expected);
      ASSERT_FALSE(reader.points_failed());
      if (!some.empty()) {
        ASSERT_EQ(learned.interval, 2);
      }
      if (i % 2 == 0) {
        ASSERT_TRUE(learned.complete);
      }
      if (learned.interval == points.interval) {
        learned.points.resize(std::min(learned.points.size(), points.points.size()));
        ASSERT_TRUE(std::equal(learned.points.begin(), learned.points.end(), points.points.begin()));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, JpegReaderOf,
    testing::Values(Kind{"s444", {}}, Kind{"s422", {.h = {2, 1, 1}}}, Kind{"s440", {.v = {2, 1, 1}}},
                    Kind{"s420", {.h = {2, 1, 1}, .v = {2, 1, 1}}}, Kind{"s411", {.h = {4, 1, 1}}},
                    Kind{"s410", {.h = {4, 1, 1}, .v = {2, 1, 1}}}, Kind{"s441", {.v = {4, 1, 1}}},
                    Kind{"s221212", {.h = {2, 1, 1}, .v = {2, 2, 2}}},
                    Kind{"s222112", {.h = {2, 2, 1}, .v = {2, 1, 2}}}, Kind{"all_wide", {.h = {2, 2, 2}}},
                    Kind{"luma_low", {.h = {1, 2, 2}, .v = {1, 2, 2}}}, Kind{"gray", {.components = 1}},
                    Kind{"quality_100", {.quality = 100}}, Kind{"quality_10", {.quality = 10}},
                    Kind{"restart_each", {.restart_interval = 1}},
                    Kind{"restarts", {.h = {2, 1, 1}, .v = {2, 1, 1}, .restart_interval = 3}},
                    Kind{"restarts_far", {.restart_interval = 100}}),
    [](const auto& tested) { return tested.param.name; });

TEST(JpegReader, LeavesWhatIsNotBaselineToLibjpegTurbo) {
  JpegReader reader;
  TurboDecoder turbo;
  for (const Options& options :
       {Options{.progressive = true}, Options{.arithmetic = true}, Options{.components = 4}}) {
    const Bytes file = fixtures::encode(fixtures::picture(70, 50), 70, 50, options);
    EXPECT_EQ(decode(reader, file), decode(turbo, file));
    EXPECT_TRUE(reader.reason());
  }
}

TEST(JpegReader, RefusesTooManyPixelsAsLibjpegTurboDoes) {
  const Bytes file = fixtures::encode(fixtures::picture(70, 50), 70, 50, {});
  JpegReader reader;
  const auto size = reader.open(file, 3499);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().code(), ErrorCode::out_of_resources);
  EXPECT_TRUE(reader.open(file, 3500));
}

// Whatever the damage: the same pixels, the same complaint, the same error.
TEST_P(JpegReaderOf, TellsOfDamageAsLibjpegTurboDoes) {
  const int width = 149, height = 103;
  const Bytes whole = fixtures::encode(fixtures::picture(width, height), width, height, GetParam().options);
  JpegReader reader;
  TurboDecoder turbo;
  SampleRng rng(9, 0, 0, 0);
  for (int i = 0; i < 300; ++i) {
    Bytes file = whole;
    if (i % 5 == 0) {
      file.resize(rng.below(file.size()));
    } else {
      for (std::uint64_t flips = 1 + rng.below(3); flips > 0; --flips) {
        file[rng.below(file.size())] ^= static_cast<std::byte>(1u << rng.below(8));
      }
    }
    SCOPED_TRACE(i);
    ASSERT_EQ(decode(reader, file), decode(turbo, file));
  }
}

// A gray picture whose coded data is `bits`, filled with ones. Codes in the tests: T.81 tables K.3 and K.5.
Bytes coded_picture(int width, int height, std::string bits) {
  Bytes file = fixtures::encode(fixtures::picture(width, height), width, height, {.components = 1});
  BaselineDecoder decoder;
  EXPECT_FALSE(decoder.open(file));
  file.resize(decoder.frame().scan_begin);
  bits += std::string((8 - bits.size() % 8) % 8, '1');
  for (std::size_t at = 0; at < bits.size(); at += 8) {
    file.push_back(static_cast<std::byte>(std::stoi(bits.substr(at, 8), nullptr, 2)));
    if (file.back() == std::byte{0xff}) file.push_back(std::byte{0});
  }
  for (const int byte : {0xff, 0xd9}) file.push_back(static_cast<std::byte>(byte));
  return file;
}

// libjpeg-turbo takes a run of zeros beyond a block's end without a word; we have no place for its value.
TEST(JpegReader, LeavesRunsBeyondABlockToLibjpegTurbo) {
  const std::string fifteen_zeros_and_one = "11111111111101011";
  std::string bits = "00";  // DC 0
  for (int i = 0; i < 4; ++i) bits += fifteen_zeros_and_one;
  const Bytes file = coded_picture(8, 8, bits);
  JpegReader reader;
  TurboDecoder turbo;
  const Outcome whole = decode(turbo, file);
  EXPECT_TRUE(whole.decoded);
  EXPECT_EQ(whole.complaint, "");
  EXPECT_EQ(decode(reader, file), whole);
  EXPECT_EQ(reader.reason(), NotMine::entropy);
  BaselineDecoder walker;
  SeekPoints points;
  ASSERT_FALSE(walker.open(file));
  EXPECT_EQ(walker.find_seek_points(0, points), NotMine::entropy);
}

// The second block is 0101 1010: DC 1, end of block. Behind eight zero bits too many it would be DC 0 and AC
// coefficients, and end in the same place.
TEST(JpegReader, DoesNotEnterAtAStuffedZero) {
  const std::string fifteen_zeros = "111111111111", fourteen_zeros = "1111111111110100";
  const std::string bits = "00" + fifteen_zeros +
                           "0101"
                           "1" +
                           fifteen_zeros +
                           "0101"
                           "1" +
                           fifteen_zeros +
                           "0110"
                           "11" +
                           fourteen_zeros +
                           "1111111111"
                           "01011010";
  const Bytes file = coded_picture(16, 8, bits);
  BaselineDecoder walker;
  SeekPoints points;
  ASSERT_FALSE(walker.open(file));
  ASSERT_FALSE(walker.find_seek_points(1, points));
  ASSERT_EQ(points.points.size(), 3u);
  ASSERT_EQ(points.points[1].bit, 0);
  ASSERT_EQ(file[points.points[1].byte - 1], std::byte{0});
  --points.points[1].byte;
  points.points[2].dc = {};
  JpegReader reader;
  TurboDecoder turbo;
  EXPECT_EQ(decode(reader, file, {}, [&] { reader.enter_by(&points); }), decode(turbo, file));
  EXPECT_TRUE(reader.points_failed());
}

TEST(JpegReader, LearnsNothingOfADamagedFileAndDecodesItAsEver) {
  Bytes file = fixtures::encode(fixtures::picture(149, 103), 149, 103, {});
  file.resize(file.size() - 40);
  JpegReader reader;
  const Rect top{3, 2, 100, 20};
  const Outcome plain = decode(reader, file, top);
  ASSERT_FALSE(reader.reason());
  SeekPoints learned;
  EXPECT_EQ(decode(reader, file, top, [&] { reader.learn(&learned, true); }), plain);
  EXPECT_FALSE(reader.reason()) << "the damage is below";
  EXPECT_TRUE(learned.empty());
  // The same behind points that end above the damage.
  EXPECT_EQ(decode(reader, file, top, [&] { reader.learn(&learned, false); }), plain);
  const SeekPoints known = learned;
  ASSERT_FALSE(known.empty());
  EXPECT_EQ(decode(reader, file, top,
                   [&] {
                     reader.enter_by(&known);
                     reader.learn(&learned, true);
                   }),
            plain);
  EXPECT_FALSE(reader.reason());
  EXPECT_FALSE(reader.points_failed());
}

// Points of another file, or damaged ones, cost time and nothing else.
TEST_P(JpegReaderOf, IsNotMisledByWrongPoints) {
  const int width = 149, height = 103;
  const Bytes file = fixtures::encode(fixtures::picture(width, height), width, height, GetParam().options);
  BaselineDecoder walker;
  SeekPoints points;
  ASSERT_FALSE(walker.open(file));
  if (walker.has_own_entrances()) return;  // has no points
  ASSERT_FALSE(walker.find_seek_points(0, points));
  JpegReader reader;
  TurboDecoder turbo;
  const Outcome whole = decode(turbo, file);
  SampleRng rng(7, 0, 0, 0);
  int failed = 0;
  for (int i = 0; i < 500; ++i) {
    SeekPoints wrong = points;
    SeekPoint& point = wrong.points[rng.below(wrong.points.size())];
    switch (rng.below(5)) {
      case 0:
        point.byte ^= 1u << rng.below(32);
        break;
      case 1:
        point.bit = static_cast<std::uint8_t>(rng.below(256));
        break;
      case 2:
        point.dc[rng.below(3)] = static_cast<std::int16_t>(rng.next_u32());
        break;
      case 3:
        wrong.interval = static_cast<int>(rng.below(70));
        break;
      default:
        wrong.points.resize(rng.below(wrong.points.size()));
        break;
    }
    ASSERT_EQ(decode(reader, file, {}, [&] { reader.enter_by(&wrong); }), whole) << i;
    failed += reader.points_failed() ? 1 : 0;
  }
  EXPECT_GT(failed, 100);
}

}  // namespace
}  // namespace stoker::jpeg
