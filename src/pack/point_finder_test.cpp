#include "pack/point_finder.hpp"

#include <gtest/gtest.h>

#include "jpeg/seek_points.hpp"
#include "pack/test_images.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

jpeg::SeekPoints unpacked(std::span<const std::byte> packed) {
  jpeg::SeekPoints points;
  EXPECT_TRUE(jpeg::unpack_seek_points(packed, points));
  return points;
}

std::vector<std::byte> packed_points(const jpeg::SeekPoints& points) {
  std::vector<std::byte> packed;
  jpeg::pack_seek_points(points, packed);
  return packed;
}

TEST(PointFinder, FindsThePointsOfTheWholeImage) {
  const std::string file = jpeg_file(200, 160, 3);
  PointFinder finder;
  ASSERT_FALSE(finder.find(as_bytes(file)));
  const jpeg::SeekPoints points = unpacked(finder.packed());
  EXPECT_TRUE(points.complete);
  EXPECT_EQ(points.points.size(), finder.points());
}

TEST(PointFinder, SaysWhyThereAreNone) {
  PointFinder finder;
  EXPECT_EQ(finder.find({}), jpeg::SeekReason::no_jpeg);
  EXPECT_EQ(finder.find(as_bytes("plain text")), jpeg::SeekReason::no_jpeg);
  EXPECT_EQ(finder.find(as_bytes(png_file(40, 40, 1))), jpeg::SeekReason::no_jpeg);
  const std::string whole = jpeg_file(200, 160, 3);
  EXPECT_EQ(finder.find(as_bytes(whole.substr(0, whole.size() / 2))), jpeg::SeekReason::entropy);
  EXPECT_TRUE(finder.packed().empty());
}

TEST(PointFinder, TakesKnownPointsWithoutAWalk) {
  const std::string file = jpeg_file(200, 160, 3);
  PointFinder finder;
  ASSERT_FALSE(finder.find(as_bytes(file)));
  jpeg::SeekPoints marked = unpacked(finder.packed());
  marked.points[2].dc[0] = 123;  // as no walk would find it
  const std::vector<std::byte> known = packed_points(marked);
  ASSERT_FALSE(finder.find(as_bytes(file), known));
  EXPECT_EQ(copy_of(finder.packed()), known);
}

TEST(PointFinder, LeavesKnownPointsThatItWouldNotFind) {
  const std::string file = jpeg_file(200, 160, 3);
  PointFinder finder;
  ASSERT_FALSE(finder.find(as_bytes(file)));
  const std::vector<std::byte> found = copy_of(finder.packed());
  const jpeg::SeekPoints points = unpacked(found);
  const auto expect_left = [&](const char* what, auto change) {
    jpeg::SeekPoints other = points;
    change(other);
    ASSERT_FALSE(finder.find(as_bytes(file), packed_points(other))) << what;
    EXPECT_EQ(copy_of(finder.packed()), found) << what;
  };
  expect_left("incomplete", [](jpeg::SeekPoints& p) { p.complete = false; });
  expect_left("another interval", [](jpeg::SeekPoints& p) { p.interval *= 2; });
  expect_left("too few", [](jpeg::SeekPoints& p) { p.points.pop_back(); });
  expect_left("another beginning", [](jpeg::SeekPoints& p) { --p.points.front().byte; });
  expect_left("behind the end", [](jpeg::SeekPoints& p) { p.points.back().byte += 100'000; });
  std::vector<std::byte> torn = found;
  torn.pop_back();
  ASSERT_FALSE(finder.find(as_bytes(file), torn));
  EXPECT_EQ(copy_of(finder.packed()), found);
}

TEST(PointFinder, AWidePictureGetsFewerPointsForItsMcus) {
  jpeg::EncodeSpec spec;
  const auto interval = [&](int width, int luma) {
    spec.luma_h = spec.luma_v = luma;
    PointFinder finder;
    EXPECT_FALSE(finder.find(as_bytes(jpeg_file(width, 32, 5, spec))));
    return unpacked(finder.packed()).interval;
  };
  EXPECT_EQ(interval(1024, 1), 8);
  EXPECT_EQ(interval(1040, 1), 16);
  EXPECT_EQ(interval(1024, 2), 4);
  EXPECT_EQ(interval(4000, 2), 16);
}

TEST(PointFinder, AGivenIntervalIsHalvedWhereChromaIsSubsampled) {
  jpeg::EncodeSpec spec;
  spec.luma_h = spec.luma_v = 1;
  PointFinder finder(6), finest(1);
  ASSERT_FALSE(finder.find(as_bytes(jpeg_file(200, 160, 3, spec))));
  EXPECT_EQ(unpacked(finder.packed()).interval, 6);
  spec.luma_h = spec.luma_v = 2;
  ASSERT_FALSE(finder.find(as_bytes(jpeg_file(200, 160, 3, spec))));
  EXPECT_EQ(unpacked(finder.packed()).interval, 3);
  ASSERT_FALSE(finest.find(as_bytes(jpeg_file(200, 160, 3, spec))));
  EXPECT_EQ(unpacked(finest.packed()).interval, 1);
}

}  // namespace
}  // namespace stoker::packing
