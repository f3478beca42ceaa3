#include "pack/sample_rewriter.hpp"

#include <gtest/gtest.h>

#include "jpeg/fixtures.hpp"
#include "pack/markers.hpp"
#include "pack/test_images.hpp"
#include "support/shared_data.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

struct Outcome {
  std::string bytes;
  bool passed_through = true;
  std::map<std::string, std::uint64_t> changes;
  std::string warning;
  std::string kept;
  ImageInfo info;
};

Outcome rewrite(const std::string& file, const PackOptions& options) {
  SampleRewriter rewriter(options);
  auto result = rewriter.run(as_bytes(file), true);
  if (!result) throw result.error();
  Outcome outcome{as_text(result->bytes), result->passed_through, {}, result->warning, result->kept, {}};
  result->changes.count_into(outcome.changes);
  outcome.info = read_image_info(as_bytes(outcome.bytes));
  return outcome;
}

std::string refusal(const std::string& file, const PackOptions& options) {
  SampleRewriter rewriter(options);
  const auto result = rewriter.run(as_bytes(file), true);
  return result ? "none" : std::string(to_string(result.error().code()));
}

TEST(SampleRewriter, PassesTheVeryBytes) {
  const std::string file = jpeg_file(120, 90, 1);
  SampleRewriter rewriter(PackOptions{.resize_short = 90});
  const auto result = rewriter.run(as_bytes(file), true);
  ASSERT_TRUE(result);
  EXPECT_EQ(static_cast<const void*>(result->bytes.data()), file.data()) << "not even copied";
  EXPECT_TRUE(result->changes.empty());
}

TEST(SampleRewriter, ResizedPngEqualsTheExactResize) {
  const std::string file = jpeg_file(200, 150, 4);
  const Outcome out = rewrite(file, {.resize_short = 64, .encode = Encode::png});
  const Image expected = decode_image(as_bytes(file), {.resize = Size{85, 64}});
  EXPECT_EQ(decode_image(as_bytes(out.bytes)).rgb, expected.rgb);
  EXPECT_EQ(out.changes, (std::map<std::string, std::uint64_t>{
                             {"resized", 1}, {"reencoded", 1}, {"converted_to_png", 1}}));
}

TEST(SampleRewriter, CropOfAResizeEqualsTheExactWindow) {
  const std::string file = jpeg_file(200, 150, 5);
  const Outcome out = rewrite(file, {.resize_short = 64, .center_crop = true, .encode = Encode::png});
  const Image whole = decode_image(as_bytes(file), {.resize = Size{85, 64}, .window = Rect{10, 0, 64, 64}});
  EXPECT_EQ(decode_image(as_bytes(out.bytes)).rgb, whole.rgb) << "(85 - 64) / 2 = 10.5, to even";
}

TEST(SampleRewriter, CropAloneIsPixelExact) {
  const std::string file = jpeg_file(100, 131, 6);
  const Outcome out = rewrite(file, {.center_crop = true, .encode = Encode::png});
  EXPECT_EQ(decode_image(as_bytes(out.bytes)).rgb,
            decode_image(as_bytes(file), {.crop = Rect{0, 16, 100, 100}}).rgb);
}

TEST(SampleRewriter, ScaledDecodeIsCloseToTheExactResize) {
  const std::string file = jpeg_file(1024, 1024, 7);
  const Outcome out = rewrite(file, {.resize_short = 128, .encode = Encode::png});
  EXPECT_EQ(out.changes.at("scaled_decode"), 1U);
  const std::vector<std::uint8_t> got = decode_image(as_bytes(out.bytes)).rgb;
  const std::vector<std::uint8_t> exact = decode_image(as_bytes(file), {.resize = Size{128, 128}}).rgb;
  ASSERT_EQ(got.size(), exact.size());
  double sum = 0;
  for (std::size_t i = 0; i < got.size(); ++i) sum += std::abs(got[i] - exact[i]);
  // The inverse transform's own low-pass is not the triangle filter's; on photos the mean is 0.15 to 1.2
  // levels.
  EXPECT_LT(sum / static_cast<double>(got.size()), 4);
}

TEST(SampleRewriter, SamplingIsKeptOrChosen) {
  const jpeg::EncodeSpec full{.luma_h = 1, .luma_v = 1};
  const std::string source444 = jpeg_file(128, 96, 1, full), source420 = jpeg_file(128, 96, 1);
  EXPECT_EQ(rewrite(source444, {.resize_short = 48}).info.sampling, "1x1 1x1 1x1");
  EXPECT_EQ(rewrite(source420, {.resize_short = 48}).info.sampling, "2x2 1x1 1x1");
  EXPECT_EQ(rewrite(source444, {.resize_short = 48, .subsampling = Subsampling::s420}).info.sampling,
            "2x2 1x1 1x1");
  EXPECT_EQ(rewrite(source420, {.subsampling = Subsampling::s444}).info.sampling, "1x1 1x1 1x1");
  EXPECT_TRUE(rewrite(source444, {.subsampling = Subsampling::s444}).passed_through);
}

TEST(SampleRewriter, GrayStaysGray) {
  const std::string gray = jpeg_file(128, 96, 1, {.gray = true});
  EXPECT_EQ(rewrite(gray, {.resize_short = 48}).info.components, 1);
  EXPECT_EQ(rewrite(gray, {.resize_short = 48, .encode = Encode::png}).info.components, 1);
  const Outcome from_png = rewrite(png_file(128, 96, 1, true), {.encode = Encode::jpeg});
  EXPECT_EQ(from_png.info.components, 1);
  EXPECT_EQ(from_png.info.kind, ImageKind::jpeg);
}

TEST(SampleRewriter, KindsAreKeptUnlessAsked) {
  EXPECT_EQ(rewrite(png_file(128, 96, 1), {.resize_short = 48}).info.kind, ImageKind::png);
  EXPECT_EQ(rewrite(webp_file(128, 96, 1, false), {.resize_short = 48}).info.kind, ImageKind::webp);
  const Outcome lossless = rewrite(webp_file(128, 96, 1, true), {.resize_short = 48});
  EXPECT_TRUE(image::webp_is_lossless(as_bytes(lossless.bytes)));
  const Outcome converted = rewrite(webp_file(128, 96, 1, true), {.encode = Encode::jpeg});
  EXPECT_EQ(converted.info.kind, ImageKind::jpeg);
  EXPECT_EQ(converted.info.sampling, "1x1 1x1 1x1");
  EXPECT_EQ(converted.changes.at("converted_to_jpeg"), 1U);
}

TEST(SampleRewriter, QualityIsHeeded) {
  const std::string file = jpeg_file(256, 192, 2, {.quality = 95});
  const Outcome coarse = rewrite(file, {.quality = 30}), fine = rewrite(file, {.quality = 90});
  EXPECT_LT(coarse.bytes.size(), fine.bytes.size());
  EXPECT_EQ(coarse.info.width, 256);
  EXPECT_EQ(rewrite(file, {.resize_short = 96}).bytes,
            rewrite(file, {.resize_short = 96, .quality = 90}).bytes)
      << "90 is the default";
}

TEST(SampleRewriter, TheOrientationSurvives) {
  std::vector<std::byte> turned;
  insert_orientation(as_bytes(jpeg_file(128, 96, 3)), 6, turned);
  const std::string file = as_text(turned);
  const Outcome jpeg = rewrite(file, {.resize_short = 48});
  EXPECT_EQ(jpeg.info.orientation, 6);
  EXPECT_EQ(jpeg.info.width, 64) << "pixels stay as they were stored";
  EXPECT_EQ(rewrite(file, {.resize_short = 48, .encode = Encode::png}).info.orientation, 6);
  EXPECT_EQ(rewrite(jpeg_file(128, 96, 3), {.resize_short = 48}).bytes.find("Exif"), std::string::npos);
}

std::string coded_file(int width, int height, const jpeg::fixtures::Options& options) {
  return as_text(jpeg::fixtures::encode(jpeg::fixtures::picture(width, height), width, height, options));
}

std::string with_orientation(const std::string& jpeg, int orientation) {
  std::vector<std::byte> turned;
  insert_orientation(as_bytes(jpeg), orientation, turned);
  return as_text(turned);
}

using Counts = std::map<std::string, std::uint64_t>;

TEST(SampleRewriter, BaselineFilesAreLeftAndOthersBecomeBaseline) {
  const std::string baseline = jpeg_file(128, 96, 3);
  EXPECT_EQ(rewrite(baseline, {.baseline = true}).bytes, baseline);
  EXPECT_TRUE(rewrite(baseline, {.baseline = true}).passed_through);
  const std::string png = png_file(20, 20, 1);
  EXPECT_EQ(rewrite(png, {.baseline = true}).bytes, png);
  for (const bool arithmetic : {false, true}) {
    const std::string file = coded_file(67, 45, {.progressive = true, .arithmetic = arithmetic});
    const Outcome out = rewrite(file, {.baseline = true});
    EXPECT_EQ(out.info.process, "baseline");
    EXPECT_EQ(out.changes, (Counts{{"baselined", 1}}));
    EXPECT_EQ(out.kept, "");
    EXPECT_EQ(decode_image(as_bytes(out.bytes)).rgb, decode_image(as_bytes(file)).rgb);
    const Outcome resized = rewrite(file, {.resize_short = 20, .baseline = true});
    EXPECT_EQ(resized.info.process, "baseline");
    EXPECT_EQ(resized.changes, (Counts{{"resized", 1}, {"reencoded", 1}}));
  }
}

TEST(SampleRewriter, WhatCannotBecomeBaselineIsLeftAndTold) {
  const std::string whole = coded_file(67, 45, {.progressive = true});
  const std::string cut = whole.substr(0, whole.size() - 100);
  const Outcome out = rewrite(cut, {.baseline = true});
  EXPECT_EQ(out.bytes, cut);
  EXPECT_TRUE(out.passed_through && out.changes.empty());
  EXPECT_EQ(out.kept, "progressive, damaged");
  EXPECT_NE(out.warning.find("end-of-image"), std::string::npos);
  const std::string lacking = whole.substr(0, whole.rfind("\xFF\xDA")) + "\xFF\xD9";
  EXPECT_EQ(rewrite(lacking, {.baseline = true}).kept, "progressive, scans missing");
  EXPECT_EQ(rewrite(lacking, {.baseline = true}).bytes, lacking);
  EXPECT_EQ(rewrite(lacking, {.resize_short = 20, .baseline = true}).kept, "") << "it was decoded";
}

TEST(SampleRewriter, UprightTurnsWithoutLossWhereBlocksAreWhole) {
  const std::string file = with_orientation(jpeg_file(128, 96, 3), 6);
  EXPECT_EQ(rewrite(file, {}).bytes, file) << "kept unless asked";
  const Outcome out = rewrite(file, {.upright = true});
  EXPECT_EQ(out.changes, (Counts{{"uprighted", 1}}));
  EXPECT_EQ(out.info.width, 96);
  EXPECT_EQ(out.info.height, 128);
  EXPECT_EQ(out.info.orientation, 1);
  EXPECT_NE(out.bytes.find("Exif"), std::string::npos) << "its tag is 1";
  const std::string turned_back = rewrite(with_orientation(out.bytes, 8), {.upright = true}).bytes;
  EXPECT_EQ(decode_image(as_bytes(turned_back)).rgb, decode_image(as_bytes(file)).rgb) << "nothing was lost";
  const std::string coded = with_orientation(coded_file(64, 48, {.progressive = true}), 3);
  EXPECT_EQ(rewrite(coded, {.upright = true}).changes, (Counts{{"baselined", 1}, {"uprighted", 1}}));
  const std::string upright = jpeg_file(128, 96, 3);
  EXPECT_EQ(rewrite(upright, {.upright = true}).bytes, upright);
}

TEST(SampleRewriter, UprightEncodesWhereBlocksAreCut) {
  const jpeg::EncodeSpec full{.quality = 100, .luma_h = 1, .luma_v = 1};
  const std::string file = with_orientation(jpeg_file(131, 93, 3, full), 6);
  const Outcome out = rewrite(file, {.quality = 100, .upright = true});
  EXPECT_EQ(out.changes, (Counts{{"reencoded", 1}, {"uprighted", 1}}));
  EXPECT_EQ(rewrite(file, {.upright = true}).changes, out.changes);
  EXPECT_EQ(out.info.orientation, 1);
  ASSERT_EQ(out.info.width, 93);
  ASSERT_EQ(out.info.height, 131);
  const auto stored = decode_image(as_bytes(file)).rgb, turned = decode_image(as_bytes(out.bytes)).rgb;
  double sum = 0;
  for (std::size_t y = 0; y < 131; ++y) {
    for (std::size_t i = 0; i < 93 * 3; ++i) {
      const std::size_t x = i / 3;
      sum += std::abs(turned[y * 93 * 3 + i] - stored[((92 - x) * 131 + y) * 3 + i % 3]);
    }
  }
  EXPECT_LT(sum / static_cast<double>(turned.size()), 1.5) << "quality 100";
}

TEST(SampleRewriter, UprightIsLastOfAllAndOfEveryKind) {
  const std::string file = with_orientation(jpeg_file(200, 150, 4), 8);
  const Outcome small = rewrite(file, {.resize_short = 64, .encode = Encode::png, .upright = true});
  EXPECT_EQ(small.info.width, 64);
  EXPECT_EQ(small.info.height, 85);
  EXPECT_EQ(small.info.orientation, 1);
  EXPECT_EQ(small.changes.at("uprighted"), 1U);
  const Outcome stored = rewrite(file, {.resize_short = 64, .encode = Encode::png});
  EXPECT_EQ(stored.info.orientation, 8);
  const Outcome again = rewrite(stored.bytes, {.upright = true});
  EXPECT_EQ(again.bytes, small.bytes) << "a PNG is turned without loss";
  EXPECT_EQ(again.changes, (Counts{{"reencoded", 1}, {"uprighted", 1}}));
}

TEST(SampleRewriter, TheLongSideIsBounded) {
  const Outcome out = rewrite(jpeg_file(200, 150, 4), {.max_side = 100, .encode = Encode::png});
  EXPECT_EQ(decode_image(as_bytes(out.bytes)).rgb,
            decode_image(as_bytes(jpeg_file(200, 150, 4)), {.resize = Size{100, 75}}).rgb);
  const std::string small = jpeg_file(100, 100, 4);
  EXPECT_EQ(rewrite(small, {.max_side = 100}).bytes, small);
}

TEST(SampleRewriter, ACutFileIsNamedWhetherOrNotItIsDecoded) {
  const std::string whole = jpeg_file(200, 150, 8);
  const std::string cut = whole.substr(0, whole.size() / 2);
  const Outcome passed = rewrite(cut, {});
  EXPECT_EQ(passed.bytes, cut);
  EXPECT_NE(passed.warning.find("end-of-image"), std::string::npos);
  const Outcome decoded = rewrite(cut, {.resize_short = 64});
  EXPECT_FALSE(decoded.warning.empty());
  EXPECT_EQ(decoded.changes.at("decoded_with_warning"), 1U);
  EXPECT_TRUE(rewrite(whole, {}).warning.empty());
  EXPECT_TRUE(rewrite(whole, {.resize_short = 64}).warning.empty());
}

TEST(SampleRewriter, WhatIsNoImageIsRefused) {
  for (const PackOptions& options :
       {PackOptions{}, PackOptions{.resize_short = 64}, PackOptions{.max_side = 64},
        PackOptions{.baseline = true}, PackOptions{.upright = true}}) {
    EXPECT_EQ(refusal("", options), "corrupt_data");
    EXPECT_EQ(refusal("a shopping list\n", options), "corrupt_data");
    EXPECT_EQ(refusal(std::string(5000, '\0'), options), "corrupt_data");
    EXPECT_EQ(refusal(jpeg_file(64, 64, 1).substr(0, 100), options), "corrupt_data");
    EXPECT_EQ(refusal("BM" + std::string(200, '\x10'), options), "unsupported");
    EXPECT_EQ(refusal("GIF89a" + std::string(200, '\x10'), options), "unsupported");
  }
}

TEST(SampleRewriter, MaxPixelsHoldsAlsoWithoutDecoding) {
  const std::string file = jpeg_file(100, 100, 1);
  EXPECT_EQ(refusal(file, {.max_pixels = 9'999}), "out_of_resources");
  EXPECT_EQ(refusal(file, {.max_pixels = 10'000}), "none");
  EXPECT_EQ(refusal(file, {.resize_short = 50, .max_pixels = 9'999}), "out_of_resources");
}

TEST(SampleRewriter, BytesOfAContainerMayBeAnythingWhileNothingIsAsked) {
  const PackOptions none;
  SampleRewriter rewriter(none);
  const std::string text = "not an image";
  const auto result = rewriter.run(as_bytes(text), false);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->passed_through);
  SampleRewriter resizing(PackOptions{.resize_short = 64});
  EXPECT_FALSE(resizing.run(as_bytes(text), false));
}

TEST(SampleRewriter, AVeryLargeImageIsMadeSmall) {
  // 108 Mpixel from one row, repeated by a stride of 0.
  const Picture row = picture(12'000, 1, 1);
  jpeg::Encoder encoder;
  const auto file = encoder.encode(row.rgb.data(), 12'000, 9'000, 0, {.quality = 50});
  ASSERT_TRUE(file);
  const Outcome out = rewrite(as_text(*file), {.resize_short = 96});
  EXPECT_EQ(out.info.width, 128);
  EXPECT_EQ(out.info.height, 96);
  EXPECT_EQ(out.changes.at("scaled_decode"), 1U);
}

TEST(SampleRewriter, CmykBecomesRgbAndIsCounted) {
  STOKER_NEEDS_DATA(path, "odd-images/ycck-photo-510x532.jpg");
  const Outcome out = rewrite(test::read_file(path), {.resize_short = 256, .encode = Encode::png});
  EXPECT_EQ(out.info.components, 3);
  EXPECT_EQ(out.changes.at("converted_to_rgb"), 1U);
  EXPECT_EQ(decode_image(as_bytes(out.bytes)).rgb,
            decode_image(as_bytes(test::read_file(path)), {.resize = Size{256, 267}}).rgb);
}

}  // namespace
}  // namespace stoker::packing
