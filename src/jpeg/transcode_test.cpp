#include "jpeg/transcode.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "jpeg/fixtures.hpp"
#include "jpeg/header.hpp"
#include "jpeg/outcome_fixture.hpp"
#include "jpeg/turbo_decoder.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;
using fixtures::Options;

constexpr std::uint64_t kMaxPixels = 100'000'000;

struct Written {
  Bytes bytes;
  std::string kept;  // empty: written
};

Written transcode(std::span<const std::byte> file, int orientation = 1,
                  std::uint64_t max_pixels = kMaxPixels) {
  Transcoder transcoder;
  const auto written = transcoder.run(file, max_pixels, turn_of(orientation));
  if (!written) return {{}, std::string(to_string(written.error()))};
  return {{written->begin(), written->end()}, {}};
}

fixtures::Outcome decode(const Bytes& file) {
  TurboDecoder decoder;
  return fixtures::decode(decoder, file, kMaxPixels, std::nullopt, [] {});
}

// All coefficients, component by component, those of padding blocks left out.
std::vector<JCOEF> coefficients(const Bytes& file) {
  std::vector<JCOEF> all;
  fixtures::with_file(file, [&](jpeg_decompress_struct& libjpeg) {
    jvirt_barray_ptr* arrays = jpeg_read_coefficients(&libjpeg);
    for (int c = 0; c < libjpeg.num_components; ++c) {
      const jpeg_component_info& component = libjpeg.comp_info[c];
      for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
        JBLOCKROW row = *(*libjpeg.mem->access_virt_barray)(reinterpret_cast<j_common_ptr>(&libjpeg),
                                                            arrays[c], y, 1, FALSE);
        for (JDIMENSION x = 0; x < component.width_in_blocks; ++x)
          all.insert(all.end(), row[x], row[x] + DCTSIZE2);
      }
    }
  });
  return all;
}

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Where each scan's header begins. In what these tests make, ff da stands nowhere else.
std::vector<std::size_t> scans_of(const Bytes& file) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xff} && file[i + 1] == std::byte{0xda}) at.push_back(i);
  }
  return at;
}

Bytes with_segments(Bytes file, const std::string& segments) {
  const Bytes inserted = bytes_of(segments);
  file.insert(file.begin() + 2, inserted.begin(), inserted.end());
  return file;
}

std::string exif_segment(char orientation) {
  using namespace std::string_literals;
  return "\xff\xe1\0\x2c"
         "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s +
         orientation + "\0\0\0\0\0\0more data!"s;
}

struct Case {
  const char* name;
  int width, height;
  Options options;
};

const Case kCases[] = {
    {"progressive", 67, 45, {.progressive = true}},
    {"progressive_420", 67, 45, {.h = {2, 1, 1}, .v = {2, 1, 1}, .progressive = true}},
    {"progressive_411", 90, 17, {.h = {4, 1, 1}, .progressive = true}},
    {"progressive_odd_factors", 50, 50, {.h = {2, 1, 2}, .v = {2, 2, 1}, .progressive = true}},
    {"progressive_gray", 33, 8, {.components = 1, .progressive = true}},
    {"progressive_gray_2x2", 33, 24, {.components = 1, .h = {2}, .v = {2}, .progressive = true}},
    {"progressive_rgb", 40, 40, {.progressive = true, .rgb = true}},
    {"progressive_cmyk", 40, 31, {.components = 4, .progressive = true}},
    {"progressive_inks_unmarked", 40, 31, {.components = 4, .progressive = true, .adobe = false}},
    {"progressive_ycck", 40, 31, {.components = 4, .h = {2, 1, 1, 2}, .progressive = true, .ycck = true}},
    {"progressive_restarts", 67, 45, {.progressive = true, .restart_interval = 3}},
    {"progressive_1x1", 1, 1, {.h = {2, 1, 1}, .v = {2, 1, 1}, .progressive = true}},
    {"arithmetic", 67, 45, {.h = {2, 1, 1}, .arithmetic = true}},
    {"arithmetic_progressive", 67, 45, {.progressive = true, .arithmetic = true}},
};

class TranscoderOf : public testing::TestWithParam<Case> {};

TEST_P(TranscoderOf, KeepsEveryCoefficientAndPixel) {
  const auto& [name, width, height, options] = GetParam();
  const Bytes file = fixtures::encode(fixtures::picture(width, height), width, height, options);
  ASSERT_NE(read_header(file)->process, Process::baseline);
  const Written written = transcode(file);
  ASSERT_EQ(written.kept, "");
  const auto header = read_header(written.bytes);
  ASSERT_TRUE(header) << header.error().what();
  EXPECT_EQ(header->process, Process::baseline);
  EXPECT_EQ(header->restart_interval, 0);
  EXPECT_EQ(sampling_text(*header), sampling_text(*read_header(file)));
  EXPECT_EQ(scans_of(written.bytes).size(), 1u);
  EXPECT_EQ(coefficients(written.bytes), coefficients(file));
  const auto before = decode(file), after = decode(written.bytes);
  EXPECT_EQ(after.complaint, "");
  EXPECT_TRUE(after == before);
}

INSTANTIATE_TEST_SUITE_P(Files, TranscoderOf, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

const Bytes& progressive() {
  static const Bytes file = fixtures::encode(fixtures::picture(80, 64), 80, 64,
                                             {.h = {2, 1, 1}, .v = {2, 1, 1}, .progressive = true});
  return file;
}

TEST(Transcoder, AFileWithoutItsLastScansIsKept) {
  const std::vector<std::size_t> scans = scans_of(progressive());
  ASSERT_EQ(scans.size(), 10u) << "libjpeg's script";
  for (std::size_t count = 1; count < scans.size(); ++count) {
    Bytes file(progressive().begin(), progressive().begin() + static_cast<std::ptrdiff_t>(scans[count]));
    file.push_back(std::byte{0xff});
    file.push_back(std::byte{0xd9});
    EXPECT_EQ(decode(file).complaint, "") << "libjpeg does not mind";
    EXPECT_EQ(transcode(file).kept, "scans missing") << count << " scans";
  }
}

TEST(Transcoder, ASequentialFileThatLacksAComponentIsKept) {
  // The frame of a gray file is made to claim three components, of which its one scan tells the first.
  Bytes gray = fixtures::encode(fixtures::picture(16, 16), 16, 16, {.components = 1, .arithmetic = true});
  std::size_t sof = 0;
  while (!(gray[sof] == std::byte{0xff} && gray[sof + 1] == std::byte{0xc9})) ++sof;
  gray[sof + 3] = std::byte{8 + 3 * 3};
  gray[sof + 9] = std::byte{3};
  const Bytes two = bytes_of(std::string("\x02\x11\x00\x03\x11\x00", 6));
  gray.insert(gray.begin() + static_cast<std::ptrdiff_t>(sof) + 13, two.begin(), two.end());
  ASSERT_EQ(read_header(gray)->components.size(), 3u);
  EXPECT_EQ(transcode(gray).kept, "scans missing");
}

TEST(Transcoder, ACutFileIsKept) {
  const std::size_t first = scans_of(progressive()).front() + 20;
  for (std::size_t size = first; size < progressive().size(); size += 97) {
    EXPECT_EQ(transcode(std::span(progressive()).first(size)).kept, "damaged") << size;
  }
  EXPECT_EQ(transcode(std::span(progressive()).first(100)).kept, "damaged") << "within the header";
  EXPECT_EQ(transcode({}).kept, "damaged");
}

TEST(Transcoder, ScansWithoutEndAreGivenUp) {
  const std::vector<std::size_t> scans = scans_of(progressive());
  const auto at = [](std::size_t i) { return progressive().begin() + static_cast<std::ptrdiff_t>(i); };
  const Bytes last(at(scans.back()), progressive().end() - 2);
  Bytes file(progressive().begin(), progressive().end() - 2);
  for (int i = 0; i < 600; ++i) file.insert(file.end(), last.begin(), last.end());
  file.insert(file.end(), progressive().end() - 2, progressive().end());
  EXPECT_EQ(transcode(file).kept, "damaged");
}

TEST(Transcoder, SegmentsAndTrailersStandAsTheyWere) {
  using namespace std::string_literals;
  const std::string segments = "\xff\xfe\0\x07hello"s + exif_segment(6) + "\xff\xe2\0\x0bICC_PRO\1\2"s +
                               "\xff\xee\0\x0e"
                               "Adobe\0\x64\0\0\0\0\x01"s;
  Bytes file = with_segments(progressive(), segments);
  const Bytes trailer = bytes_of("another \xff\xd8 picture"s);
  file.insert(file.end(), trailer.begin(), trailer.end());
  const Written written = transcode(file);
  ASSERT_EQ(written.kept, "");
  const auto first = file.begin(),
             last = file.begin() + static_cast<std::ptrdiff_t>(2 + segments.size() + 18);
  ASSERT_GT(written.bytes.size(), segments.size() + 20);
  EXPECT_TRUE(std::equal(first, last, written.bytes.begin())) << "JFIF's own segment is the last of them";
  EXPECT_TRUE(std::equal(trailer.rbegin(), trailer.rend(), written.bytes.rbegin()));
  EXPECT_EQ(read_header(written.bytes)->orientation, 6);
  EXPECT_TRUE(decode(written.bytes) == decode(file));
}

TEST(Transcoder, AFileWithoutMarkersGetsNone) {
  const Bytes file = fixtures::encode(fixtures::picture(24, 24), 24, 24,
                                      {.components = 4, .progressive = true, .adobe = false});
  const Written written = transcode(file);
  ASSERT_EQ(written.kept, "");
  EXPECT_EQ(read_header(written.bytes)->adobe_transform, -1);
  EXPECT_FALSE(read_header(written.bytes)->has_jfif);
}

TEST(Transcoder, SixteenBitQuantisationIsBeyondBaseline) {
  Bytes file = fixtures::encode(fixtures::picture(24, 24), 24, 24, {.components = 1, .progressive = true});
  std::size_t dqt = 0;
  while (!(file[dqt] == std::byte{0xff} && file[dqt + 1] == std::byte{0xdb})) ++dqt;
  Bytes table;
  for (std::size_t i = 0; i < 64; ++i) {
    table.push_back(std::byte{static_cast<unsigned char>(i == 63 ? 1 : 0)});
    table.push_back(file[dqt + 5 + i]);
  }
  file.erase(file.begin() + static_cast<std::ptrdiff_t>(dqt) + 5,
             file.begin() + static_cast<std::ptrdiff_t>(dqt) + 5 + 64);
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(dqt) + 5, table.begin(), table.end());
  file[dqt + 3] = std::byte{2 + 1 + 128};
  file[dqt + 4] = std::byte{0x10};
  ASSERT_EQ(decode(file).complaint, "");
  EXPECT_EQ(transcode(file).kept, "beyond baseline");
}

TEST(Transcoder, TwelveBitsAreNotDecoded) {
  Bytes file = progressive();
  std::size_t sof = 0;
  while (!(file[sof] == std::byte{0xff} && file[sof + 1] == std::byte{0xc2})) ++sof;
  file[sof + 4] = std::byte{12};
  EXPECT_EQ(transcode(file).kept, "not decoded");
}

TEST(Transcoder, RoomForCoefficientsIsCheckedFirst) {
  const int side = 64;
  const auto made = [&](int factor) {
    return fixtures::encode(fixtures::picture(side, side), side, side,
                            {.h = {factor, 1, 1}, .v = {factor, 1, 1}, .progressive = true});
  };
  const std::uint64_t pixels = side * side;
  EXPECT_EQ(transcode(made(2), 1, pixels - 1).kept, "too large");
  EXPECT_EQ(transcode(made(2), 1, pixels).kept, "") << "3 bytes a pixel";
  EXPECT_EQ(transcode(made(1), 1, pixels).kept, "too large") << "6 bytes a pixel";
  EXPECT_EQ(transcode(made(1), 1, 2 * pixels).kept, "");
  EXPECT_EQ(transcode(made(2), 3, pixels).kept, "too large") << "a turn takes twice the room";
  EXPECT_EQ(transcode(made(2), 3, 2 * pixels).kept, "");
}

TEST(Transcoder, LeavesNothingBehindForTheNext) {
  const Bytes other =
      fixtures::encode(fixtures::picture(200, 100, 7), 200, 100, {.quality = 30, .progressive = true});
  Transcoder transcoder;
  ASSERT_TRUE(transcoder.run(other, kMaxPixels));
  ASSERT_FALSE(transcoder.run(std::span(other).first(other.size() / 2), kMaxPixels));
  const auto written = transcoder.run(progressive(), kMaxPixels);
  ASSERT_TRUE(written);
  EXPECT_EQ(Bytes(written->begin(), written->end()), transcode(progressive()).bytes);
}

// Whatever is written decodes to the very pixels, without complaint; whatever cannot be is kept.
TEST(Transcoder, DamagedFilesAreKeptOrEqual) {
  SampleRng rng(11, 0, 0, 0);
  int written_count = 0, kept_count = 0;
  for (const bool arithmetic : {false, true}) {
    const Bytes whole = fixtures::encode(fixtures::picture(40, 24), 40, 24,
                                         {.h = {2, 1, 1}, .progressive = true, .arithmetic = arithmetic});
    for (int round = 0; round < 600; ++round) {
      Bytes file = whole;
      const std::size_t at = rng.below(file.size());
      file[at] ^= std::byte{static_cast<unsigned char>(1u << rng.below(8))};
      const Written written = transcode(file);
      if (!written.kept.empty()) {
        ++kept_count;
        continue;
      }
      ++written_count;
      EXPECT_TRUE(decode(written.bytes) == decode(file)) << "bit flipped in byte " << at;
    }
  }
  EXPECT_GT(written_count, 50);
  EXPECT_GT(kept_count, 50);
}

struct TurnCase {
  const char* name;
  int width, height;
  Options options;
};

const TurnCase kTurnCases[] = {
    {"full_chroma", 48, 32, {}},
    {"progressive_420", 48, 32, {.h = {2, 1, 1}, .v = {2, 1, 1}, .progressive = true}},
    {"chroma_422", 48, 32, {.h = {2, 1, 1}}},
    {"gray_2x2", 40, 24, {.components = 1, .h = {2}, .v = {2}}},
    {"inks", 48, 32, {.components = 4}},
};

class TurnedFile : public testing::TestWithParam<TurnCase> {};

TEST_P(TurnedFile, IsThePictureUpright) {
  const auto& [name, width, height, options] = GetParam();
  const Bytes file = with_segments(fixtures::encode(fixtures::picture(width, height), width, height, options),
                                   exif_segment(5));
  const auto stored = decode(file);
  for (const auto& [orientation, back] : {std::pair{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 8}, {7, 7}, {8, 6}}) {
    const Turn turn = turn_of(orientation);
    const Written written = transcode(file, orientation);
    ASSERT_EQ(written.kept, "") << orientation;
    const auto header = read_header(written.bytes);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->width, turn.transposed ? height : width);
    EXPECT_EQ(header->height, turn.transposed ? width : height);
    EXPECT_EQ(header->process, Process::baseline);
    EXPECT_EQ(header->orientation, 1) << "no reader is to turn it again";
    const auto upright = decode(written.bytes);
    EXPECT_EQ(upright.complaint, "");
    int worst = 0;
    for (int y = 0; y < header->height; ++y) {
      for (int x = 0; x < header->width; ++x) {
        int u = turn.transposed ? y : x, v = turn.transposed ? x : y;
        if (turn.mirror_x) u = width - 1 - u;
        if (turn.mirror_y) v = height - 1 - v;
        for (int c = 0; c < 3; ++c) {
          const int a = upright.rgb[static_cast<std::size_t>((y * header->width + x) * 3 + c)];
          const int b = stored.rgb[static_cast<std::size_t>((v * width + u) * 3 + c)];
          worst = std::max(worst, std::abs(a - b));
        }
      }
    }
    // Roundings of the inverse transform and of the chroma filters go one way, whichever way a picture lies.
    EXPECT_LE(worst, 6) << orientation;
    const Written again = transcode(written.bytes, back);
    EXPECT_EQ(coefficients(again.bytes), coefficients(file)) << "nothing was lost by " << orientation;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, TurnedFile, testing::ValuesIn(kTurnCases),
                         [](const auto& tested) { return tested.param.name; });

TEST(Transcoder, OnlyWholeBlocksChangeSides) {
  const auto kept = [](int width, int height, int orientation) {
    const Bytes file =
        fixtures::encode(fixtures::picture(width, height), width, height, {.h = {2, 1, 1}, .v = {2, 1, 1}});
    return transcode(file, orientation).kept;
  };
  EXPECT_EQ(kept(40, 32, 2), "cut blocks") << "40 are whole blocks of luma, and not of chroma";
  EXPECT_EQ(kept(40, 32, 4), "");
  EXPECT_EQ(kept(32, 40, 4), "cut blocks");
  EXPECT_EQ(kept(33, 41, 5), "") << "rows and columns exchanged, no edge changes its side";
  EXPECT_EQ(kept(41, 32, 6), "");
  EXPECT_EQ(kept(32, 41, 6), "cut blocks");
  EXPECT_EQ(kept(41, 32, 8), "cut blocks");
  EXPECT_EQ(kept(32, 41, 8), "");
  EXPECT_EQ(kept(32, 41, 7), "cut blocks");
}

}  // namespace
}  // namespace stoker::jpeg
