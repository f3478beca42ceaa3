#include "image/geometry.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace stoker::image {
namespace {

SampleRng rng_of(std::uint64_t seed) { return SampleRng(seed, 0, 0, 0); }

Geometry folded(std::string_view recipe, Size picture, const SampleCoordinates& sample = {}) {
  return fold_geometry(Recipe::parse(recipe).steps(), picture, sample);
}

// Expected values by torchvision's formulas, by hand: int(round((h - th) / 2.0)), halves to even.
TEST(Geometry, CenterCropRoundsHalvesToEven) {
  EXPECT_EQ(center_crop_rect({256, 256}, {224, 224}), (Rect{16, 16, 224, 224}));
  EXPECT_EQ(center_crop_rect({257, 259}, {224, 224}), (Rect{16, 18, 224, 224}));  // 16.5 → 16, 17.5 → 18
  EXPECT_EQ(center_crop_rect({225, 227}, {224, 224}), (Rect{0, 2, 224, 224}));    // 0.5 → 0, 1.5 → 2
}

// Padding left and top is (size - length) // 2.
TEST(Geometry, CenterCropOfASmallerPictureReachesBeyondIt) {
  EXPECT_EQ(center_crop_rect({200, 300}, {224, 224}), (Rect{-12, 38, 224, 224}));
  EXPECT_EQ(center_crop_rect({3, 4}, {8, 8}), (Rect{-2, -2, 8, 8}));
}

TEST(Geometry, ResizeKeepsTheShortSideAndTruncatesTheLongOne) {
  EXPECT_EQ(resized_size({500, 375}, {.short_side = 256}), (Size{341, 256}));  // 341.33
  EXPECT_EQ(resized_size({375, 500}, {.short_side = 256}), (Size{256, 341}));
  EXPECT_EQ(resized_size({300, 300}, {.short_side = 256}), (Size{256, 256}));
  EXPECT_EQ(resized_size({767, 256}, {.short_side = 100}), (Size{299, 100}));  // 299.6
  EXPECT_EQ(resized_size({9, 7}, {.short_side = 0, .size = {30, 20}}), (Size{30, 20}));
  EXPECT_EQ(resized_size({2'000'000'000, 1}, {.short_side = 16384}), (Size{kMaxResizedSide, 16384}));
}

TEST(Geometry, RandomResizedCropLiesInsideAndKeepsItsBounds) {
  SampleRng rng = rng_of(1);
  const RandomResizedCrop step{.size = {224, 224}};
  for (int i = 0; i < 5000; ++i) {
    const Rect rect = random_resized_crop_rect({500, 375}, step, rng);
    ASSERT_GE(rect.x, 0);
    ASSERT_GE(rect.y, 0);
    ASSERT_LE(rect.x + rect.width, 500);
    ASSERT_LE(rect.y + rect.height, 375);
    const double share = rect.width * rect.height / (500.0 * 375.0);
    ASSERT_GT(share, 0.078);  // rounding sides to whole pixels moves both bounds a little
    ASSERT_LE(share, 1.0);
    const double ratio = static_cast<double>(rect.width) / rect.height;
    ASSERT_GT(ratio, 0.74);
    ASSERT_LT(ratio, 1.35);
  }
}

// Where nothing is rejected the area share is uniform and the ratio log-uniform. 20,000 draws put the means
// within 0.003 (5 standard errors: 0.116 / 141 and 0.166 / 141, times 5) of their expectations.
TEST(Geometry, RandomResizedCropHasTorchvisionsDistribution) {
  SampleRng rng = rng_of(2);
  const RandomResizedCrop step{.size = {64, 64}, .scale_min = 0.1, .scale_max = 0.5};
  double share = 0, log_ratio = 0, left = 0, top = 0, low_quarter = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const Rect rect = random_resized_crop_rect({1000, 1000}, step, rng);
    const double own = rect.width * static_cast<double>(rect.height) / 1e6;
    share += own;
    low_quarter += own < 0.2;
    log_ratio += std::log(static_cast<double>(rect.width) / rect.height);
    left += static_cast<double>(rect.x) / (1000 - rect.width);
    top += static_cast<double>(rect.y) / (1000 - rect.height);
  }
  EXPECT_NEAR(share / kDraws, 0.3, 0.005);
  EXPECT_NEAR(low_quarter / kDraws, 0.25, 0.016);
  EXPECT_NEAR(log_ratio / kDraws, 0, 0.006);  // a uniform ratio would have 0.028
  EXPECT_NEAR(left / kDraws, 0.5, 0.011);
  EXPECT_NEAR(top / kDraws, 0.5, 0.011);
}

TEST(Geometry, RandomResizedCropReachesBothEnds) {
  SampleRng rng = rng_of(3);
  const RandomResizedCrop step{
      .size = {4, 4}, .scale_min = 0.8, .scale_max = 0.8, .ratio_min = 1, .ratio_max = 1};
  std::set<int> lefts, tops;
  for (int i = 0; i < 300; ++i) {
    const Rect rect = random_resized_crop_rect({10, 10}, step, rng);
    EXPECT_EQ(rect.width, 9);  // sqrt(80) = 8.94
    EXPECT_EQ(rect.height, 9);
    lefts.insert(rect.x);
    tops.insert(rect.y);
  }
  EXPECT_EQ(lefts, (std::set<int>{0, 1}));
  EXPECT_EQ(tops, (std::set<int>{0, 1}));
}

TEST(Geometry, RandomResizedCropFallsBackToTheCentredLargestPart) {
  SampleRng rng = rng_of(4);
  const RandomResizedCrop whole{.size = {4, 4}, .scale_min = 1, .scale_max = 1};
  // 1000x10 with ratio up to 4/3: height 10, width round(13.33); (1000 - 13) // 2.
  EXPECT_EQ(random_resized_crop_rect({1000, 10}, whole, rng), (Rect{493, 0, 13, 10}));
  // 10x1000 with ratio from 3/4: width 10, height round(13.33).
  EXPECT_EQ(random_resized_crop_rect({10, 1000}, whole, rng), (Rect{0, 493, 10, 13}));
  // 1x1: whatever is drawn, one pixel.
  EXPECT_EQ(random_resized_crop_rect({1, 1}, whole, rng), (Rect{0, 0, 1, 1}));
  // An allowed ratio where no try fits (all of them ask for more than half a pixel too much): the whole
  // picture.
  const RandomResizedCrop narrow{
      .size = {4, 4}, .scale_min = 1, .scale_max = 1, .ratio_min = 0.9, .ratio_max = 1.2};
  for (int i = 0; i < 50; ++i) {
    const Rect rect = random_resized_crop_rect({1050, 1000}, narrow, rng);
    EXPECT_LE(rect.width, 1050);
    EXPECT_GE(rect.width, 1000);
  }
}

TEST(Geometry, RandomCropGoesAnywhereInThePaddedPicture) {
  SampleRng rng = rng_of(5);
  std::set<int> lefts;
  for (int i = 0; i < 500; ++i) {
    const Rect rect = random_crop_rect({32, 32}, {.size = {32, 32}, .padding = 4}, rng);
    lefts.insert(rect.x);
    EXPECT_GE(rect.y, -4);
    EXPECT_LE(rect.y, 4);
  }
  EXPECT_EQ(lefts.size(), 9U);
  EXPECT_EQ(*lefts.begin(), -4);
  EXPECT_EQ(*lefts.rbegin(), 4);
  EXPECT_EQ(random_crop_rect({20, 40}, {.size = {32, 42}, .padding = 1}, rng), (Rect{-6, -1, 32, 42}));
}

TEST(Geometry, FoldsTheEvalRecipe) {
  const Geometry geometry = folded("imagenet_eval(224)", {500, 375});
  EXPECT_EQ(geometry.spec.crop, std::nullopt);
  EXPECT_EQ(geometry.spec.resize, (Size{341, 256}));
  EXPECT_EQ(geometry.spec.window, (Rect{58, 16, 224, 224}));  // 58.5 → 58
  EXPECT_FALSE(geometry.flip);
}

TEST(Geometry, FoldsARandomResizedCrop) {
  const SampleCoordinates sample{7, 3, 99};
  const Geometry geometry = folded("random_resized_crop(224, filter=bicubic)", {500, 375}, sample);
  SampleRng rng(7, 3, 99, 0);
  EXPECT_EQ(geometry.spec.crop,
            random_resized_crop_rect({500, 375}, RandomResizedCrop{.size = {224, 224}}, rng));
  EXPECT_EQ(geometry.spec.resize, (Size{224, 224}));
  EXPECT_EQ(geometry.spec.window, std::nullopt);
  EXPECT_EQ(geometry.spec.filter, Filter::bicubic);
}

TEST(Geometry, CropsInFrontComposeWithTheResizeBehindThem) {
  const Geometry geometry = folded("center_crop(300) resize(100x100) center_crop(50x60)", {500, 375});
  EXPECT_EQ(geometry.spec.crop, (Rect{100, 38, 300, 300}));  // 37.5 → 38
  EXPECT_EQ(geometry.spec.resize, (Size{100, 100}));
  EXPECT_EQ(geometry.spec.window, (Rect{25, 20, 50, 60}));
  // A random crop of a crop: inside it.
  const Geometry nested = folded("center_crop(300) random_resized_crop(8)", {500, 375}, {1, 2, 3});
  SampleRng rng(1, 2, 3, 1);
  const Rect inner = random_resized_crop_rect({300, 300}, RandomResizedCrop{.size = {8, 8}}, rng);
  EXPECT_EQ(nested.spec.crop, (Rect{100 + inner.x, 38 + inner.y, inner.width, inner.height}));
}

TEST(Geometry, CropsAloneBecomeOneCrop) {
  const Geometry geometry = folded("center_crop(300) center_crop(200x100)", {500, 375});
  EXPECT_EQ(geometry.spec.crop, (Rect{150, 138, 200, 100}));
  EXPECT_EQ(geometry.spec.resize, std::nullopt);
  EXPECT_EQ(geometry.spec.window, std::nullopt);
  EXPECT_EQ(folded("center_crop(20)", {20, 20}).spec.crop, std::nullopt);
}

TEST(Geometry, APaddedCropIsAWindowAroundThePartThatIsThere) {
  const Geometry geometry = folded("center_crop(40)", {30, 50});
  EXPECT_EQ(geometry.spec.crop, (Rect{0, 5, 30, 40}));
  EXPECT_EQ(geometry.spec.window, (Rect{-5, 0, 40, 40}));
}

// What a crop has cut off does not come back as another pads around it.
TEST(Geometry, ALargerCropBehindACropShowsNoMoreThanTheFirst) {
  const Geometry geometry = folded("center_crop(20) center_crop(30)", {100, 100});
  EXPECT_EQ(geometry.spec.crop, (Rect{40, 40, 20, 20}));
  EXPECT_EQ(geometry.spec.window, (Rect{-5, -5, 30, 30}));
  EXPECT_EQ(geometry.visible, std::nullopt);
  const Geometry resized = folded("resize(50x50) center_crop(20) center_crop(30)", {100, 100});
  EXPECT_EQ(resized.spec.window, (Rect{10, 10, 30, 30}));
  EXPECT_EQ(resized.visible, (Rect{5, 5, 20, 20}));
}

TEST(Geometry, ACropThatMissesThePictureStillHasASource) {
  const std::vector<Step> steps{RandomCrop{{4, 4}, 300}, TensorStep{}};
  bool missed = false;
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Geometry geometry = fold_geometry(steps, {5, 5}, {0, 0, index});
    const Rect crop = geometry.spec.crop.value_or(Rect{0, 0, 5, 5});
    EXPECT_GE(crop.width, 1);
    EXPECT_GE(crop.height, 1);
    EXPECT_LE(crop.x + crop.width, 5);
    const Rect window = geometry.spec.window.value_or(Rect{0, 0, crop.width, crop.height});
    EXPECT_EQ(window.width, 4);
    EXPECT_EQ(window.height, 4);
    missed |= window.x >= crop.width || window.y >= crop.height || window.x <= -4 || window.y <= -4;
  }
  EXPECT_TRUE(missed);
}

TEST(Geometry, ACropInFrontOfTheResizePadsNothing) {
  const Geometry geometry = folded("center_crop(400) resize(10x10)", {300, 600});
  EXPECT_EQ(geometry.spec.crop, (Rect{0, 100, 300, 400}));
  EXPECT_EQ(geometry.spec.resize, (Size{10, 10}));
}

// A crop behind the flip sees the mirrored picture: an odd remainder shows it.
TEST(Geometry, ACropBehindTheFlipIsMirrored) {
  EXPECT_EQ(folded("flip(1) center_crop(4)", {9, 4}).spec.crop,
            (Rect{3, 0, 4, 4}));  // from 2 of the mirrored picture
  EXPECT_EQ(folded("center_crop(4) flip(1)", {9, 4}).spec.crop, (Rect{2, 0, 4, 4}));
  EXPECT_TRUE(folded("flip(1) center_crop(4)", {9, 4}).flip);
  EXPECT_EQ(folded("flip(1) resize(9x4) center_crop(4)", {18, 8}).spec.window, (Rect{3, 0, 4, 4}));
}

TEST(Geometry, FlipsAsOftenAsAsked) {
  int flips = 0;
  for (std::uint64_t index = 0; index < 10000; ++index) {
    flips += folded("center_crop(4) flip(0.3)", {9, 9}, {1, 1, index}).flip;
    EXPECT_FALSE(folded("center_crop(4) flip(0)", {9, 9}, {1, 1, index}).flip);
    EXPECT_TRUE(folded("center_crop(4) flip(1)", {9, 9}, {1, 1, index}).flip);
  }
  EXPECT_NEAR(flips, 3000, 230);  // 5 standard deviations of 45.8
}

// What one step draws is its own: another step in the list, another picture or another sample changes nothing
// of it.
TEST(Geometry, EveryStepHasItsOwnDraws) {
  const Geometry a = folded("random_crop(100) flip", {500, 375}, {5, 1, 8});
  const Geometry b = folded("random_crop(100) flip", {333, 999}, {5, 1, 8});
  EXPECT_EQ(a.flip, b.flip);
  EXPECT_EQ(a.spec.crop, folded("random_crop(100)", {500, 375}, {5, 1, 8}).spec.crop);
  EXPECT_EQ(a.spec.crop, folded("random_crop(100) flip", {500, 375}, {5, 1, 8}).spec.crop);
  EXPECT_NE(a.spec.crop, folded("random_crop(100) flip", {500, 375}, {5, 2, 8}).spec.crop);
  EXPECT_NE(a.spec.crop, folded("random_crop(100) flip", {500, 375}, {6, 1, 8}).spec.crop);
  EXPECT_NE(a.spec.crop, folded("random_crop(100) flip", {500, 375}, {5, 1, 9}).spec.crop);
}

}  // namespace
}  // namespace stoker::image
