#include "pack/image_plan.hpp"

#include <array>
#include <gtest/gtest.h>

namespace stoker::packing {
namespace {

ImageInfo jpeg_info(int width, int height, const char* sampling = "1x1 1x1 1x1", int components = 3) {
  return {.kind = ImageKind::jpeg,
          .process = "baseline",
          .width = width,
          .height = height,
          .components = components,
          .sampling = sampling};
}

ImagePlan plan(const ImageInfo& info, const PackOptions& options, std::span<const std::byte> bytes = {}) {
  auto result = plan_image(info, bytes, options);
  if (!result) throw result.error();
  return *result;
}

TEST(ImagePlan, WithoutOptionsAllPassThrough) {
  EXPECT_FALSE(plan(jpeg_info(500, 375), {}).rewrite);
  EXPECT_FALSE(touches_pixels({}));
}

TEST(ImagePlan, TheLongSideIsFloored) {
  EXPECT_EQ(resized_size({500, 375}, 256), (Size{341, 256}));  // 341.33
  EXPECT_EQ(resized_size({375, 500}, 256), (Size{256, 341}));
  EXPECT_EQ(resized_size({400, 299}, 256), (Size{342, 256}));  // 342.47
  EXPECT_EQ(resized_size({300, 300}, 256), (Size{256, 256}));
  EXPECT_EQ(resized_size({65500, 1}, 1), (Size{65500, 1}));
}

TEST(ImagePlan, SmallEnoughImagesPassThroughThoughQualityIsGiven) {
  const PackOptions options{.resize_short = 256, .quality = 80};
  EXPECT_FALSE(plan(jpeg_info(400, 256), options).rewrite);
  EXPECT_FALSE(plan(jpeg_info(100, 80), options).rewrite);
  const ImagePlan large = plan(jpeg_info(400, 257), options);
  EXPECT_TRUE(large.rewrite && large.resize && !large.enlarge && !large.crop);
  EXPECT_EQ(large.scaled, (Size{398, 256}));
  EXPECT_EQ(large.window, (Rect{0, 0, 398, 256}));
}

TEST(ImagePlan, EnlargesOnlyWhenAsked) {
  const ImagePlan enlarged = plan(jpeg_info(100, 80), {.resize_short = 160, .enlarge = true});
  EXPECT_TRUE(enlarged.resize && enlarged.enlarge);
  EXPECT_EQ(enlarged.scaled, (Size{200, 160}));
  EXPECT_FALSE(plan(jpeg_info(160, 160), {.resize_short = 160, .enlarge = true}).rewrite);
}

TEST(ImagePlan, TheLongSideIsBounded) {
  EXPECT_EQ(fitted_size({500, 375}, 256), (Size{256, 192}));
  EXPECT_EQ(fitted_size({375, 500}, 257), (Size{192, 257}));  // 192.75
  EXPECT_EQ(fitted_size({65500, 1}, 256), (Size{256, 1}));
  const ImagePlan bounded = plan(jpeg_info(4000, 3000), {.max_side = 500, .center_crop = true});
  EXPECT_TRUE(bounded.rewrite && bounded.resize && bounded.crop && !bounded.enlarge && bounded.scaled_decode);
  EXPECT_EQ(bounded.scaled, (Size{500, 375}));
  EXPECT_EQ(bounded.window, (Rect{62, 0, 375, 375}));
  EXPECT_FALSE(plan(jpeg_info(500, 375), {.max_side = 500, .quality = 50}).rewrite) << "small enough";
  EXPECT_TRUE(touches_pixels({.max_side = 500}));
}

TEST(ImagePlan, OnlyWhatIsNotBaselineBecomesIt) {
  ImageInfo info = jpeg_info(500, 375);
  EXPECT_FALSE(plan(info, {.baseline = true}).transcode);
  for (const char* process : {"progressive", "arith-seq", "arith-prog", "ext-seq"}) {
    info.process = process;
    const ImagePlan made = plan(info, {.baseline = true});
    EXPECT_TRUE(made.transcode && !made.rewrite) << process;
    EXPECT_FALSE(plan(info, {}).transcode) << process;
    const ImagePlan encoded = plan(info, {.resize_short = 64, .baseline = true});
    EXPECT_TRUE(encoded.rewrite && !encoded.transcode) << "what is encoded is baseline anyway";
  }
  EXPECT_TRUE(touches_pixels({.baseline = true}));
}

TEST(ImagePlan, UprightTurnsWhatSaysSo) {
  ImageInfo info = jpeg_info(500, 375);
  EXPECT_FALSE(plan(info, {.upright = true}).transcode);
  info.orientation = 6;
  EXPECT_FALSE(plan(info, {}).turn.any());
  const ImagePlan turned = plan(info, {.upright = true});
  EXPECT_TRUE(turned.transcode && !turned.rewrite && turned.turn.transposed && turned.turn.mirror_y);
  EXPECT_EQ(turned.window, (Rect{0, 0, 500, 375})) << "as stored";
  const ImagePlan small = plan(info, {.resize_short = 64, .upright = true});
  EXPECT_TRUE(small.rewrite && small.turn.any() && !small.transcode);
  info.kind = ImageKind::png;
  EXPECT_TRUE(plan(info, {.upright = true}).rewrite) << "only a JPEG has coefficients to turn";
}

TEST(ImagePlan, AnEnlargementBeyondMaxPixelsIsRefused) {
  const PackOptions options{.resize_short = 256, .enlarge = true, .max_pixels = 1'000'000};
  auto result = plan_image(jpeg_info(65'500, 1), {}, options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::out_of_resources);
  const PackOptions widest{.resize_short = 65'535, .enlarge = true, .max_pixels = ~std::uint64_t{0}};
  ASSERT_FALSE(plan_image(jpeg_info(65'500, 1), {}, widest)) << "4,292,542,500 pixels wide";
}

TEST(ImagePlan, ASideThatTheKindCannotHoldIsRefused) {
  ImageInfo png{.kind = ImageKind::png, .width = 70'000, .height = 10, .components = 3};
  auto result = plan_image(png, {}, {.encode = Encode::jpeg});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::unsupported);
  ImageInfo webp{.kind = ImageKind::webp, .width = 16'000, .height = 10, .components = 3};
  EXPECT_FALSE(plan_image(webp, {}, {.resize_short = 20, .enlarge = true}));
}

TEST(ImagePlan, CropsACentredSquareWithHalvesToEven) {
  EXPECT_EQ(center_square({341, 256}), (Rect{42, 0, 256, 256}));  // 42.5
  EXPECT_EQ(center_square({343, 256}), (Rect{44, 0, 256, 256}));  // 43.5
  EXPECT_EQ(center_square({256, 342}), (Rect{0, 43, 256, 256}));
  EXPECT_EQ(center_square({7, 7}), (Rect{0, 0, 7, 7}));
}

TEST(ImagePlan, CropsAlsoWithoutAResizeButSquaresPass) {
  const ImagePlan cropped = plan(jpeg_info(90, 60), {.resize_short = 96, .center_crop = true});
  EXPECT_TRUE(cropped.rewrite && cropped.crop && !cropped.resize);
  EXPECT_EQ(cropped.window, (Rect{15, 0, 60, 60}));
  EXPECT_FALSE(plan(jpeg_info(60, 60), {.resize_short = 96, .center_crop = true}).rewrite);
}

TEST(ImagePlan, QualityAloneRewritesJpegsOnly) {
  const PackOptions options{.quality = 75};
  EXPECT_TRUE(plan(jpeg_info(90, 60), options).rewrite);
  EXPECT_FALSE(plan({.kind = ImageKind::png, .width = 90, .height = 60, .components = 3}, options).rewrite);
  EXPECT_TRUE(touches_pixels(options));
}

TEST(ImagePlan, SubsamplingAloneRewritesWhatIsSampledOtherwise) {
  const PackOptions options{.subsampling = Subsampling::s420};
  EXPECT_TRUE(plan(jpeg_info(90, 60, "1x1 1x1 1x1"), options).rewrite);
  EXPECT_FALSE(plan(jpeg_info(90, 60, "2x2 1x1 1x1"), options).rewrite);
  EXPECT_FALSE(plan(jpeg_info(90, 60, "1x1", 1), options).rewrite) << "gray has no chroma";
  const PackOptions full{.subsampling = Subsampling::s444};
  EXPECT_TRUE(plan(jpeg_info(90, 60, "2x1 1x1 1x1"), full).rewrite);
  EXPECT_FALSE(plan(jpeg_info(90, 60, "1x2 1x2 1x2"), full).rewrite);
}

TEST(ImagePlan, AnotherKindIsConvertedWhateverItsSize) {
  const PackOptions options{.resize_short = 256, .encode = Encode::jpeg};
  EXPECT_TRUE(plan({.kind = ImageKind::webp, .width = 9, .height = 6, .components = 3}, options).rewrite);
  EXPECT_FALSE(plan(jpeg_info(9, 6), options).rewrite);
}

TEST(ImagePlan, ScaledDecodeOnlyWhileTwiceTheTargetIsLeft) {
  EXPECT_TRUE(plan(jpeg_info(1024, 1024), {.resize_short = 256}).scaled_decode);
  EXPECT_FALSE(plan(jpeg_info(1023, 1023), {.resize_short = 256}).scaled_decode);
  EXPECT_FALSE(plan(jpeg_info(4000, 3000), {.center_crop = true}).scaled_decode);
  EXPECT_FALSE(
      plan({.kind = ImageKind::png, .width = 4000, .height = 3000, .components = 3}, {.resize_short = 256})
          .scaled_decode);
}

TEST(ImagePlan, GrayStaysGrayAndWhatIsLostIsNoted) {
  const PackOptions options{.resize_short = 32};
  EXPECT_TRUE(plan(jpeg_info(90, 60, "1x1", 1), options).gray);
  EXPECT_FALSE(plan(jpeg_info(90, 60), options).gray);
  EXPECT_TRUE(plan(jpeg_info(90, 60, "1x1 1x1 1x1 1x1", 4), options).to_rgb);
  std::array<std::byte, 33> header{};
  const ImageInfo png{.kind = ImageKind::png, .width = 90, .height = 60, .components = 1};
  EXPECT_TRUE(plan(png, options, header).gray);
  header[25] = std::byte{3};
  EXPECT_FALSE(plan(png, options, header).gray) << "a palette is colour";
}

struct SamplingCase {
  const char* source;
  Subsampling wanted;
  int h, v;
};

class KeptSampling : public testing::TestWithParam<SamplingCase> {};

TEST_P(KeptSampling, IsTheNearestByShareOfChroma) {
  const auto& [source, wanted, h, v] = GetParam();
  jpeg::EncodeSpec spec;
  choose_sampling(jpeg_info(90, 60, source), wanted, spec);
  EXPECT_EQ(spec.luma_h, h) << source;
  EXPECT_EQ(spec.luma_v, v) << source;
}

INSTANTIATE_TEST_SUITE_P(Sources, KeptSampling,
                         testing::Values(SamplingCase{"1x1 1x1 1x1", Subsampling::keep, 1, 1},
                                         SamplingCase{"2x1 1x1 1x1", Subsampling::keep, 2, 1},
                                         SamplingCase{"2x2 1x1 1x1", Subsampling::keep, 2, 2},
                                         SamplingCase{"1x2 1x1 1x1", Subsampling::keep, 2, 1},
                                         SamplingCase{"4x1 1x1 1x1", Subsampling::keep, 2, 2},
                                         SamplingCase{"4x2 1x1 1x1", Subsampling::keep, 2, 2},
                                         SamplingCase{"2x2 1x2 1x2", Subsampling::keep, 2, 1},
                                         SamplingCase{"1x2 1x2 1x2", Subsampling::keep, 1, 1},
                                         SamplingCase{"1x1 2x2 2x2", Subsampling::keep, 1, 1},
                                         SamplingCase{"1x1", Subsampling::keep, 1, 1},
                                         SamplingCase{"1x1 1x1 1x1", Subsampling::s420, 2, 2},
                                         SamplingCase{"2x2 1x1 1x1", Subsampling::s444, 1, 1}));

TEST(ImagePlan, WhatWasNoJpegKeepsAllItsChroma) {
  jpeg::EncodeSpec spec;
  choose_sampling({.kind = ImageKind::png, .width = 9, .height = 9, .components = 3}, Subsampling::keep,
                  spec);
  EXPECT_EQ(spec.luma_h, 1);
  EXPECT_EQ(spec.luma_v, 1);
}

}  // namespace
}  // namespace stoker::packing
