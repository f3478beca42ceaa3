#include "jpeg/header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "jpeg/fixtures.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

// `segment` put behind the start-of-image marker.
Bytes with_segment(const Bytes& file, const Bytes& segment) {
  Bytes changed = file;
  changed.insert(changed.begin() + 2, segment.begin(), segment.end());
  return changed;
}

Bytes exif_segment(int orientation, bool big_endian) {
  Bytes segment = bytes_of({0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0});
  const Bytes tiff = big_endian ? bytes_of({'M', 'M', 0, 42, 0, 0, 0,           8, 0, 1, 0x01, 0x12, 0,
                                            3,   0,   0, 0,  1, 0, orientation, 0, 0, 0, 0,    0,    0})
                                : bytes_of({'I', 'I', 42, 0, 8, 0,           0, 0, 1, 0, 0x12, 0x01, 3,
                                            0,   1,   0,  0, 0, orientation, 0, 0, 0, 0, 0,    0,    0});
  segment.insert(segment.end(), tiff.begin(), tiff.end());
  return segment;
}

TEST(Header, TellsSizeSamplingAndProcess) {
  const auto rgb = fixtures::picture(70, 50);
  const auto baseline =
      read_header(fixtures::encode(rgb, 70, 50, {.h = {2, 1, 1}, .v = {2, 1, 1}, .restart_interval = 7}));
  ASSERT_TRUE(baseline) << baseline.error().what();
  EXPECT_EQ(baseline->process, Process::baseline);
  EXPECT_EQ(baseline->width, 70);
  EXPECT_EQ(baseline->height, 50);
  EXPECT_EQ(baseline->restart_interval, 7);
  EXPECT_EQ(baseline->orientation, 1);
  EXPECT_EQ(baseline->adobe_transform, -1);
  EXPECT_TRUE(baseline->has_jfif);
  EXPECT_EQ(sampling_text(*baseline), "2x2 1x1 1x1");

  const auto progressive = read_header(fixtures::encode(rgb, 70, 50, {.progressive = true}));
  ASSERT_TRUE(progressive);
  EXPECT_EQ(to_string(progressive->process), "progressive");
  const auto arithmetic = read_header(fixtures::encode(rgb, 70, 50, {.arithmetic = true}));
  ASSERT_TRUE(arithmetic);
  EXPECT_EQ(to_string(arithmetic->process), "arith-seq");
  const auto ycck = read_header(fixtures::encode(rgb, 70, 50, {.components = 4, .ycck = true}));
  ASSERT_TRUE(ycck);
  EXPECT_EQ(ycck->components.size(), 4u);
  EXPECT_EQ(ycck->adobe_transform, 2);
}

TEST(Header, ReadsEveryOrientationInBothByteOrders) {
  const Bytes file = fixtures::encode(fixtures::picture(16, 8), 16, 8, {});
  for (const bool big_endian : {false, true}) {
    for (int orientation = 0; orientation <= 9; ++orientation) {
      const auto header = read_header(with_segment(file, exif_segment(orientation, big_endian)));
      ASSERT_TRUE(header);
      EXPECT_EQ(header->orientation, orientation >= 1 && orientation <= 8 ? orientation : 1);
      EXPECT_EQ(header->width, 16) << "stored orientation";
    }
  }
}

TEST(Header, PassesOverJunkBetweenSegments) {
  const Bytes file = fixtures::encode(fixtures::picture(16, 8), 16, 8, {});
  for (const Bytes& junk : {bytes_of({1, 2, 3}), bytes_of({0xff, 0xff, 0xff}), bytes_of({0xff, 0x00, 0x12}),
                            bytes_of({0xff, 0xd0}), bytes_of({0xff, 0x01})}) {
    const auto header = read_header(with_segment(file, junk));
    ASSERT_TRUE(header) << header.error().what();
    EXPECT_EQ(header->width, 16);
  }
}

TEST(Header, RefusesWhatIsNoJpeg) {
  for (const Bytes& file : {Bytes{}, bytes_of({0xff}), bytes_of({0x89, 'P'}), bytes_of({0xff, 0xd8}),
                            bytes_of({0xff, 0xd8, 0xff, 0xd9}), bytes_of({0xff, 0xd8, 0xff, 0xda, 0, 2})}) {
    const auto header = read_header(file);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error().code(), ErrorCode::corrupt_data);
  }
}

TEST(Header, RefusesFramesThatCannotBe) {
  const Bytes file = fixtures::encode(fixtures::picture(16, 8), 16, 8, {});
  std::size_t frame = 0;
  while (file[frame] != std::byte{0xff} || file[frame + 1] != std::byte{0xc0}) ++frame;
  const auto changed = [&](std::size_t at, int value) {
    Bytes other = file;
    other[frame + at] = static_cast<std::byte>(value);
    return read_header(other);
  };
  EXPECT_TRUE(changed(5, 0)) << "a height of 8 stays 8";
  EXPECT_FALSE(changed(6, 0)) << "height 0";
  EXPECT_FALSE(changed(8, 0)) << "width 0";
  EXPECT_FALSE(changed(9, 0)) << "no components";
  EXPECT_FALSE(changed(9, 200)) << "more components than the segment holds";
  EXPECT_FALSE(changed(2, 0xff)) << "a segment beyond the end";
  const auto too_long = changed(2, 0xff);
  EXPECT_THAT(std::string(too_long.error().what()), testing::HasSubstr("offset " + std::to_string(frame)));
}

TEST(Header, EveryCutIsRefusedOrRead) {
  const Bytes file =
      with_segment(fixtures::encode(fixtures::picture(16, 8), 16, 8, {}), exif_segment(6, true));
  std::size_t read = 0;
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes) {
    // A copy of exactly this size, so that a sanitizer sees any read beyond it.
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes));
    read += read_header(cut).has_value() ? 1 : 0;
  }
  EXPECT_GT(read, 0u);
  EXPECT_LT(read, file.size());
}

}  // namespace
}  // namespace stoker::jpeg
