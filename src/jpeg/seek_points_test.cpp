#include "jpeg/seek_points.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <string_view>

namespace stoker::jpeg {
namespace {

using Bytes = std::vector<std::byte>;

Bytes packed(const SeekPoints& points) {
  Bytes bytes;
  pack_seek_points(points, bytes);
  return bytes;
}

Bytes of_hex(std::string_view hex) {
  Bytes bytes;
  std::string digits;
  for (const char c : hex)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

// What every success promises, whatever the bytes were.
testing::AssertionResult is_well_formed(const SeekPoints& points, std::size_t packed_bytes) {
  if (points.points.empty()) return testing::AssertionSuccess();
  if (points.interval < 1 || points.points.size() < 2) return testing::AssertionFailure() << "no interval";
  if (points.points.size() > packed_bytes * 2) return testing::AssertionFailure() << "points out of nothing";
  for (std::size_t i = 1; i < points.points.size(); ++i) {
    const SeekPoint &before = points.points[i - 1], &point = points.points[i];
    if (point.bit > 7 || std::pair(point.byte, point.bit) <= std::pair(before.byte, before.bit))
      return testing::AssertionFailure() << "point " << i << " does not rise";
  }
  return testing::AssertionSuccess();
}

// Points as a scan has them; `wild`: with every position step and predictor that the form can hold.
SeekPoints random_points(std::mt19937& random, std::size_t count, bool wild) {
  SeekPoints points;
  points.interval = wild ? static_cast<int>(random() % 0xFFFF) + 1 : 8;
  points.complete = random() % 2 == 0;
  SeekPoint point{.byte = static_cast<std::uint32_t>(random() % 20000)};
  std::uint64_t position = std::uint64_t{point.byte} * 8;
  const bool gray = random() % 4 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    points.points.push_back(point);
    position += 1 + (wild ? random() >> random() % 32 : random() % 4000);
    point.byte = static_cast<std::uint32_t>(position / 8);
    point.bit = static_cast<std::uint8_t>(position % 8);
    for (std::size_t c = 0; c < (gray ? 1u : 3u); ++c)
      point.dc[c] = static_cast<std::int16_t>(wild ? random() : random() % 1024);
  }
  return points;
}

void expect_equal(const SeekPoints& a, const SeekPoints& b) {
  EXPECT_EQ(a.interval, b.interval);
  EXPECT_EQ(a.complete, b.complete);
  EXPECT_TRUE(a.points == b.points);
}

TEST(SeekPoints, PackedAndUnpackedAreTheSame) {
  std::mt19937 random(1);
  SeekPoints unpacked;
  for (int round = 0; round < 400; ++round) {
    const bool wild = round % 2 == 1;
    const SeekPoints points = random_points(random, 2 + random() % (wild ? 60 : 700), wild);
    const Result<void> result = unpack_seek_points(packed(points), unpacked);
    ASSERT_TRUE(result) << result.error().what();
    expect_equal(unpacked, points);
  }
}

TEST(SeekPoints, TheLargestStepAndTheEndsOfTheRangesFit) {
  SeekPoints points{.interval = 0xFFFF, .points = {{}, {.byte = 0x1FFFFFFF, .bit = 7}}};
  points.points.push_back({.byte = 0x20000000, .bit = 0, .dc = {-32768, 32767, -1}});
  points.points.push_back({.byte = 0x3FFFFFFF, .bit = 7, .dc = {32767, -32768, 0}});
  points.points.push_back({.byte = 0x5FFFFFFF, .bit = 7, .dc = {0, 0, 0}});
  SeekPoints unpacked;
  ASSERT_TRUE(unpack_seek_points(packed(points), unpacked));
  expect_equal(unpacked, points);
}

// The example of docs/formats/seek-index.md.
TEST(SeekPoints, HaveTheFormOfTheirSpecification) {
  const SeekPoints points{.interval = 8,
                          .complete = true,
                          .points = {{.byte = 623},
                                     {.byte = 900, .bit = 3, .dc = {-5, 2, 0}},
                                     {.byte = 1200, .bit = 0, .dc = {7, 2, -1}}}};
  const Bytes expected = of_hex("01 01 08 00 03 00 00 00 6f 02 00 00 4c 19 01 aa 98 88 2b 31 02");
  EXPECT_EQ(packed(points), expected);
  SeekPoints unpacked;
  ASSERT_TRUE(unpack_seek_points(expected, unpacked));
  expect_equal(unpacked, points);
}

TEST(SeekPoints, NoPointsAreNoBytes) {
  EXPECT_TRUE(packed({}).empty());
  EXPECT_TRUE(packed({.interval = 8, .points = {{.byte = 600}}}).empty());
  SeekPoints unpacked{.interval = 8, .points = {{}, {.byte = 9}}};
  ASSERT_TRUE(unpack_seek_points({}, unpacked));
  EXPECT_TRUE(unpacked.points.empty());
  EXPECT_EQ(unpacked.interval, 0);
}

TEST(SeekPoints, WhatNoScanHasIsNotPacked) {
  const SeekPoints good{.interval = 8, .points = {{.byte = 600}, {.byte = 700}}};
  ASSERT_FALSE(packed(good).empty());
  const auto with = [&good](auto change) {
    SeekPoints points = good;
    change(points);
    return packed(points);
  };
  EXPECT_TRUE(with([](SeekPoints& p) { p.interval = 0; }).empty());
  EXPECT_TRUE(with([](SeekPoints& p) { p.interval = 0x10000; }).empty());
  EXPECT_TRUE(with([](SeekPoints& p) { p.points[0].bit = 1; }).empty());
  EXPECT_TRUE(with([](SeekPoints& p) { p.points[0].dc[2] = 1; }).empty());
  EXPECT_TRUE(with([](SeekPoints& p) { p.points[1].byte = 600; }).empty());
  EXPECT_TRUE(with([](SeekPoints& p) { p.points[1].bit = 8; }).empty());
  EXPECT_TRUE(with([](SeekPoints& p) { p.points[1].byte = 0x20000000 + 601; }).empty());
}

TEST(SeekPoints, AppendBehindWhatIsThere) {
  Bytes bytes(3, std::byte{7});
  pack_seek_points({.interval = 8, .points = {{.byte = 600}, {.byte = 700}}}, bytes);
  EXPECT_EQ(bytes[2], std::byte{7});
  SeekPoints unpacked;
  EXPECT_TRUE(unpack_seek_points(std::span(bytes).subspan(3), unpacked));
}

class BrokenSeekPoints : public testing::Test {
 protected:
  // The first word of the complaint about the good bytes with `value` at `at`.
  std::string complaint(std::size_t at, unsigned value) {
    Bytes bytes = good_;
    bytes[at] = static_cast<std::byte>(value);
    return complaint(bytes);
  }
  std::string complaint(const Bytes& bytes) {
    SeekPoints points{.interval = 3, .points = std::vector<SeekPoint>(5)};
    const Result<void> result = unpack_seek_points(bytes, points);
    if (result) return "";
    EXPECT_EQ(result.error().code(), ErrorCode::corrupt_data);
    EXPECT_TRUE(points.points.empty());
    EXPECT_EQ(points.interval, 0);
    return result.error().parts().found;
  }
  const Bytes good_ = of_hex("01 01 08 00 03 00 00 00 6f 02 00 00 4c 19 01 aa 98 88 2b 31 02");
};

TEST_F(BrokenSeekPoints, AreRefusedFieldByField) {
  ASSERT_EQ(complaint(good_), "");
  EXPECT_EQ(complaint(0, 2), "form 2 (this build reads 1)");
  EXPECT_EQ(complaint(1, 2), "flags 02");
  EXPECT_EQ(complaint(2, 0), "an interval of 0");
  EXPECT_EQ(complaint(4, 0), "0 points in 21 bytes");
  EXPECT_EQ(complaint(4, 1), "1 points in 21 bytes");
  EXPECT_EQ(complaint(7, 0xFF), "4278190083 points in 21 bytes");
  EXPECT_EQ(complaint(4, 2), "bits behind the last point");
  EXPECT_EQ(complaint(4, 4), "it ends early");
  EXPECT_EQ(complaint(12, 0x43), "widths 011943") << "steps of 3 bits";
  EXPECT_EQ(complaint(12, 0x61), "widths 011961") << "steps of 33 bits";
  EXPECT_EQ(complaint(14, 0x11), "widths 11194c") << "predictors of 17 bits";
  EXPECT_EQ(complaint(14, 0x21), "widths 21194c") << "a reserved bit";
  EXPECT_EQ(complaint(20, 0x82), "bits behind the last point");
}

TEST_F(BrokenSeekPoints, EndWhereTheyEnd) {
  for (std::size_t bytes = 1; bytes < good_.size(); ++bytes)
    EXPECT_NE(complaint(Bytes(good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(bytes))), "")
        << bytes;
  Bytes longer = good_;
  longer.push_back({});
  EXPECT_EQ(complaint(longer), "1 bytes behind the last point");
}

TEST_F(BrokenSeekPoints, PositionsEndAt4GiB) {
  SeekPoints points{.interval = 8, .points = {{.byte = 0xFFFFFFF0}, {.byte = 0xFFFFFFFF, .bit = 7}}};
  Bytes bytes = packed(points);
  EXPECT_EQ(complaint(bytes), "");
  bytes[8] = std::byte{0xFF};
  EXPECT_EQ(complaint(bytes), "positions beyond 4 GiB");
}

TEST_F(BrokenSeekPoints, TruncatedAndFlippedOnesNeverCrash) {
  std::mt19937 random(2);
  SeekPoints unpacked;
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    // A heap block of the exact size: a sanitiser sees the byte behind it being read.
    Bytes bytes = packed(random_points(random, 2 + random() % 90, round % 2 == 1));
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    for (unsigned flips = random() % 4; flips > 0 && !bytes.empty(); --flips)
      bytes[random() % bytes.size()] ^= static_cast<std::byte>(1u << random() % 8);
    const Bytes exact(bytes);
    const Result<void> result = unpack_seek_points(exact, unpacked);
    refused += result ? 0 : 1;
    EXPECT_TRUE(!result || is_well_formed(unpacked, exact.size()));
  }
  EXPECT_GT(refused, 1000);
}

TEST_F(BrokenSeekPoints, NoiseNeverCrashes) {
  std::mt19937 random(3);
  SeekPoints unpacked;
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes(random() % 200);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (bytes.size() >= 15) {  // far enough to reach the groups
      bytes[0] = std::byte{1};
      bytes[1] &= std::byte{1};
      bytes[4] = static_cast<std::byte>(random() % 60);
      bytes[5] = bytes[6] = bytes[7] = {};
      bytes[14] &= std::byte{0x0F};
    }
    EXPECT_TRUE(!unpack_seek_points(bytes, unpacked) || is_well_formed(unpacked, bytes.size()));
  }
}

}  // namespace
}  // namespace stoker::jpeg
