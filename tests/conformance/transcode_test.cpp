// Real and odd JPEGs made baseline, or turned, without loss: held against libjpeg's own decode of both files.
//
// Built twice: the unit suite takes a share of the baseline photos, the slow one (STOKER_WHOLE_SAMPLE) all.
#include "jpeg/transcode.hpp"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "jpeg/fixtures.hpp"
#include "jpeg/header.hpp"
#include "jpeg/turbo_decoder.hpp"
#include "pack/sample_rewriter.hpp"
#include "support/shared_data.hpp"
#include "support/temp_dir.hpp"

namespace stoker {
namespace {

#ifdef STOKER_WHOLE_SAMPLE
constexpr std::size_t kPhotos = 1000, kTurnedPhotos = 200;
#else
constexpr std::size_t kPhotos = 200, kTurnedPhotos = 10;
#endif

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

jpeg::fixtures::Bytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

// Each component's samples as they are stored, or RGB: whatever libjpeg gives, with no code of ours between.
std::vector<std::uint8_t> libjpeg_pixels(std::span<const std::byte> file, bool as_stored) {
  std::vector<std::uint8_t> pixels;
  jpeg::fixtures::with_file(copy_of(file), [&](jpeg_decompress_struct& libjpeg) {
    if (as_stored) libjpeg.out_color_space = libjpeg.jpeg_color_space;
    jpeg_start_decompress(&libjpeg);
    const std::size_t row_bytes =
        std::size_t{libjpeg.output_width} * static_cast<std::size_t>(libjpeg.output_components);
    pixels.resize(row_bytes * libjpeg.output_height);
    while (libjpeg.output_scanline < libjpeg.output_height) {
      JSAMPROW row = pixels.data() + libjpeg.output_scanline * row_bytes;
      jpeg_read_scanlines(&libjpeg, &row, 1);
    }
    jpeg_finish_decompress(&libjpeg);
    EXPECT_EQ(libjpeg.err->num_warnings, 0);
  });
  return pixels;
}

// APPn and COM segments, in their order.
std::vector<std::string> segments_of(std::span<const std::byte> file) {
  std::vector<std::string> segments;
  jpeg_decompress_struct libjpeg{};
  jpeg_error_mgr errors{};
  libjpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&libjpeg);
  for (int i = 0; i < 16; ++i) jpeg_save_markers(&libjpeg, JPEG_APP0 + i, 0xffff);
  jpeg_save_markers(&libjpeg, JPEG_COM, 0xffff);
  jpeg_mem_src(&libjpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&libjpeg, TRUE);
  for (const jpeg_marker_struct* segment = libjpeg.marker_list; segment; segment = segment->next) {
    segments.push_back(std::to_string(segment->marker) + ":" +
                       std::string(reinterpret_cast<const char*>(segment->data), segment->data_length));
  }
  jpeg_destroy_decompress(&libjpeg);
  return segments;
}

std::map<std::string, std::string> odd_and_large_files() {
  std::map<std::string, std::string> files;
  for (const char* folder : {"odd-images", "large-photos"}) {
    const std::string path = test::shared_data(folder);
    if (path.empty()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const std::string file = test::read_file(entry.path().string());
      if (file.starts_with("\xff\xd8")) files[entry.path().filename().string()] = file;
    }
  }
  return files;
}

// Files of another process than baseline that are to be left, and why.
const std::map<std::string, std::string> kLeft{
    {"12bit-extended.jpg", "ext-seq, not decoded"},
    {"lossless-sof3-16bit-gray.jpg", "lossless, not decoded"},
    {"lossless-sof3-8bit-rgb.jpg", "lossless, not decoded"},
    {"progressive-missing-ac.jpg", "progressive, scans missing"},
    {"progressive-truncated-but-eoi.jpeg", "progressive, scans missing"},
    {"qtables-16bit-1x1.jpg", "ext-seq, beyond baseline"},
    {"size-193x31423-613-bytes.jpg", "progressive, damaged"},
    {"truncated-progressive.jpg", "progressive, damaged"},
};

TEST(Baseline, EveryWholePhotoHasItsPixelsAndEveryBaselineFileItsBytes) {
  STOKER_NEEDS_DATA(folder, "odd-images");
  packing::SampleRewriter rewriter(PackOptions{.baseline = true});
  std::map<std::string, std::string> left;
  int made = 0, untouched = 0;
  for (const auto& [name, file] : odd_and_large_files()) {
    const auto header = jpeg::read_header(bytes_of(file));
    const auto result = rewriter.run(bytes_of(file), true);
    if (!result) continue;  // refused by its header, as without the option
    SCOPED_TRACE(name);
    ASSERT_TRUE(header);
    if (!result->kept.empty()) left[name] = result->kept;
    if (header->process == jpeg::Process::baseline || !result->kept.empty()) {
      EXPECT_EQ(static_cast<const void*>(result->bytes.data()), file.data()) << "the very bytes";
      EXPECT_EQ(result->bytes.size(), file.size());
      EXPECT_TRUE(result->passed_through && result->changes.empty());
      ++untouched;
      continue;
    }
    ++made;
    const auto written = jpeg::read_header(result->bytes);
    ASSERT_TRUE(written);
    EXPECT_EQ(written->process, jpeg::Process::baseline);
    EXPECT_EQ(written->orientation, header->orientation);
    EXPECT_EQ(segments_of(result->bytes), segments_of(bytes_of(file)));
    EXPECT_TRUE(result->changes.has(packing::Change::baselined) && result->warning.empty());
    EXPECT_TRUE(libjpeg_pixels(result->bytes, true) == libjpeg_pixels(bytes_of(file), true));
    if (header->components.size() == 3) {
      EXPECT_TRUE(libjpeg_pixels(result->bytes, false) == libjpeg_pixels(bytes_of(file), false));
    }
  }
  for (const auto& [name, reason] : kLeft) EXPECT_EQ(left[name], reason) << name;
  for (const auto& [name, reason] : left) {
    EXPECT_TRUE(kLeft.contains(name) || name.starts_with("fuzz-")) << name << ": " << reason;
  }
  EXPECT_GE(made, 16);
  EXPECT_GE(untouched, 80);
}

TEST(Baseline, PhotosAreLeftToTheByte) {
  STOKER_NEEDS_DATA(path, "imagenet-sample.tar");
  packing::SampleRewriter baseline(PackOptions{.baseline = true});
  packing::SampleRewriter upright(PackOptions{.baseline = true, .upright = true});
  int turned = 0;
  for (const auto& [name, file] : test::read_tar(path, kPhotos)) {
    for (packing::SampleRewriter* rewriter : {&baseline, &upright}) {
      const auto result = rewriter->run(bytes_of(file), true);
      ASSERT_TRUE(result) << name;
      if (result->changes.has(packing::Change::uprighted)) {
        EXPECT_TRUE(rewriter == &upright && jpeg::read_header(bytes_of(file))->orientation > 1) << name;
        ++turned;
        continue;
      }
      EXPECT_EQ(static_cast<const void*>(result->bytes.data()), file.data()) << name;
      EXPECT_TRUE(result->kept.empty()) << name;
    }
  }
  EXPECT_LT(turned, 20) << "few of these photos tell an orientation";
}

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  if (a.size() != b.size() || a.empty()) return 255;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(Upright, AllOrientationsComeToTheReference) {
  STOKER_NEEDS_DATA(folder, "odd-images");
  const std::string reference = test::read_file(folder + "/exif-orientation-none-128-reference.jpg");
  const auto expected = libjpeg_pixels(bytes_of(reference), false);
  packing::SampleRewriter rewriter(PackOptions{.upright = true});
  for (int orientation = 2; orientation <= 8; ++orientation) {
    const std::string file =
        test::read_file(folder + "/exif-orientation-" + std::to_string(orientation) + "-128.jpg");
    const auto result = rewriter.run(bytes_of(file), true);
    ASSERT_TRUE(result) << orientation;
    EXPECT_TRUE(result->changes.has(packing::Change::uprighted)) << orientation;
    EXPECT_FALSE(result->changes.has(packing::Change::reencoded)) << "128 × 128 are whole blocks";
    EXPECT_EQ(jpeg::read_header(result->bytes)->orientation, 1) << orientation;
    // The sample data's own bound for these files.
    EXPECT_LT(mean_difference(libjpeg_pixels(result->bytes, false), expected), 5) << orientation;
  }
}

TEST(Upright, ATurnedPhotoComesBackToItsPixels) {
  STOKER_NEEDS_DATA(path, "imagenet-sample.tar");
  jpeg::Transcoder transcoder;
  int turned = 0;
  for (const auto& [name, file] : test::read_tar(path, 1000)) {
    if (turned >= static_cast<int>(kTurnedPhotos)) break;
    bool counted = false;
    for (const auto& [there, back] : {std::pair{3, 3}, {5, 5}, {6, 8}}) {
      const auto once = transcoder.run(bytes_of(file), kDefaultMaxPixels, jpeg::turn_of(there));
      if (!once) continue;
      const auto held = copy_of(*once);
      const auto again = transcoder.run(held, kDefaultMaxPixels, jpeg::turn_of(back));
      ASSERT_TRUE(again) << name;
      EXPECT_TRUE(libjpeg_pixels(*again, true) == libjpeg_pixels(bytes_of(file), true))
          << name << " " << there;
      if (!counted) ++turned;
      counted = true;
    }
  }
  EXPECT_EQ(turned, static_cast<int>(kTurnedPhotos));
}

}  // namespace
}  // namespace stoker
