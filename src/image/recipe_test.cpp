#include "stoker/recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/error.hpp"

#include "image/recipe_steps.hpp"

namespace stoker {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The message of the error that parsing throws, "" if it throws none.
std::string error_of(std::string_view text) {
  try {
    Recipe::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "";
}

std::string canonical(std::string_view text) { return Recipe::parse(text).to_string(); }

TEST(Recipe, ReadsEveryStepAndOption) {
  const Recipe recipe = Recipe::parse(
      "center_crop(300x280) random_resized_crop(224, scale=0.2..0.9, ratio=0.5..2, filter=bicubic)\n"
      "\trandom_crop(size=200x180, padding=4) flip(0.25) normalize(mean=0.1/0.2/0.3, std=1/2/0.5) "
      "tensor(bf16, nhwc)");
  const std::vector<Step> steps{CenterCrop{{300, 280}},
                                RandomResizedCrop{{224, 224}, 0.2, 0.9, 0.5, 2, Filter::bicubic},
                                RandomCrop{{200, 180}, 4},
                                Flip{0.25},
                                Normalize{{0.1f, 0.2f, 0.3f}, {1, 2, 0.5f}},
                                TensorStep{DType::bf16, Layout::nhwc}};
  EXPECT_EQ(recipe.steps(), steps);
  EXPECT_EQ(recipe.output_size(), (Size{200, 180}));
  EXPECT_EQ(recipe.dtype(), DType::bf16);
  EXPECT_EQ(recipe.layout(), Layout::nhwc);
  EXPECT_EQ(recipe.bytes_per_sample(), 200U * 180 * 3 * 2);
}

TEST(Recipe, NamesOfWholeRecipes) {
  EXPECT_EQ(canonical("imagenet_train(224)"), "random_resized_crop(224) flip(0.5) normalize(imagenet)");
  EXPECT_EQ(canonical("imagenet_eval(224)"), "resize(256) center_crop(224) normalize(imagenet)");
  EXPECT_EQ(canonical("imagenet_eval(288)"), "resize(329) center_crop(288) normalize(imagenet)");
  EXPECT_EQ(canonical("imagenet_train(64x48, filter=bicubic) tensor(f16)"),
            "random_resized_crop(64x48, filter=bicubic) flip(0.5) normalize(imagenet) tensor(f16, nchw)");
}

TEST(Recipe, DefaultsOfWhatLeaves) {
  EXPECT_EQ(Recipe::parse("center_crop(8)").dtype(), DType::u8);
  EXPECT_EQ(Recipe::parse("center_crop(8)").layout(), Layout::nchw);
  EXPECT_EQ(Recipe::parse("center_crop(8) normalize(imagenet)").dtype(), DType::f32);
  EXPECT_EQ(Recipe::parse("center_crop(8) normalize(imagenet) tensor(layout=nhwc)").dtype(), DType::f32);
  EXPECT_EQ(Recipe::parse("center_crop(8) tensor(layout=nhwc)").dtype(), DType::u8);
  EXPECT_EQ(Recipe::parse("center_crop(8) tensor(dtype=f16)").dtype(), DType::f16);
  EXPECT_EQ(Recipe::parse("center_crop(8)").bytes_per_sample(), 192U);
}

TEST(Recipe, TheCanonicalTextReadsBackToTheSameRecipe) {
  for (const char* text :
       {"imagenet_train(224)", "imagenet_eval(96)", "resize(100x50)",
        "resize(64, filter=bicubic) center_crop(64)", "random_crop(32, padding=4) flip",
        "flip(0) random_resized_crop(8, ratio=0.3..0.31) tensor(f32)",
        "random_resized_crop(7x9, 0.35..1, 0.9..1.1, bicubic)", "center_crop(5) tensor(nhwc, u8)",
        "center_crop(5) normalize(mean=0.1/0.123456789/0, std=1e-3/3/1e5) tensor(dtype=bf16, layout=nhwc)"}) {
    const Recipe recipe = Recipe::parse(text);
    const Recipe again = Recipe::parse(recipe.to_string());
    EXPECT_EQ(again.steps(), recipe.steps()) << text;
    EXPECT_EQ(again.to_string(), recipe.to_string());
  }
}

TEST(Recipe, WhatIsDefaultIsNotWritten) {
  EXPECT_EQ(canonical("  center_crop( 224x224 )\n tensor(u8,nchw) "), "center_crop(224)");
  EXPECT_EQ(canonical("random_resized_crop(9, scale=0.08..1, filter=bilinear) flip()"),
            "random_resized_crop(9) flip(0.5)");
  EXPECT_EQ(canonical("center_crop(9) normalize(mean=0.485/0.456/0.406, std=0.229/0.224/0.225)"),
            "center_crop(9) normalize(imagenet)");
}

TEST(Recipe, AMistypedStepIsNamedWithTheNearestRightOne) {
  EXPECT_THAT(error_of("random_resize_crop(224)"),
              AllOf(HasSubstr("'random_resize_crop'"), HasSubstr("did you mean 'random_resized_crop'?"),
                    HasSubstr("center_crop")));
  EXPECT_THAT(error_of("imagenet_trian(224)"), HasSubstr("did you mean 'imagenet_train'?"));
  EXPECT_THAT(error_of("Flip"), HasSubstr("unknown step 'Flip'"));
}

TEST(Recipe, AMistypedOptionIsNamedWithTheNearestRightOne) {
  EXPECT_THAT(
      error_of("random_resized_crop(224, scael=0.1..1)"),
      AllOf(HasSubstr("unknown option 'scael'"), HasSubstr("did you mean 'scale'?"), HasSubstr("ratio")));
  EXPECT_THAT(error_of("random_resized_crop(224, filter=bilinaer)"),
              HasSubstr("did you mean filter=bilinear?"));
  EXPECT_THAT(error_of("center_crop(8) normalize(imagnet)"), HasSubstr("did you mean 'imagenet'?"));
  EXPECT_THAT(error_of("center_crop(8) tensor(fp16)"),
              AllOf(HasSubstr("'fp16'"), HasSubstr("did you mean 'f16'?")));
  EXPECT_THAT(error_of("center_crop(8) tensor(layout=nhcw)"), HasSubstr("layout=nhcw"));
  EXPECT_THAT(error_of("center_crop(8) tensor(dtyp=f32)"), HasSubstr("did you mean 'dtype'?"));
}

TEST(Recipe, AValueOutsideOfWhatIsAllowedIsRefused) {
  EXPECT_THAT(error_of("center_crop(0)"), AllOf(HasSubstr("size=0"), HasSubstr("1..16384")));
  EXPECT_THAT(error_of("center_crop(99999999999999)"), HasSubstr("1..16384"));
  EXPECT_THAT(error_of("center_crop(224x)"), HasSubstr("size=224x"));
  EXPECT_THAT(error_of("center_crop(12.5)"), HasSubstr("size=12.5"));
  EXPECT_THAT(error_of("center_crop()"), HasSubstr("no size"));
  EXPECT_THAT(error_of("imagenet_eval()"), HasSubstr("no size"));
  EXPECT_THAT(error_of("imagenet_eval(20000)"), HasSubstr("size=20000"));
  EXPECT_THAT(error_of("random_resized_crop(8, scale=0..1)"),
              AllOf(HasSubstr("scale=0..1"), HasSubstr("above 0")));
  EXPECT_THAT(error_of("random_resized_crop(8, scale=1..0.5)"), HasSubstr("scale=1..0.5"));
  EXPECT_THAT(error_of("random_resized_crop(8, scale=0.5..1.5)"), HasSubstr("up to 1"));
  EXPECT_THAT(error_of("random_resized_crop(8, ratio=0.75)"), HasSubstr("ratio=0.75"));
  EXPECT_THAT(error_of("center_crop(8) flip(1.5)"), HasSubstr("0..1"));
  EXPECT_THAT(error_of("center_crop(8) normalize(mean=1/2, std=1/1/1)"), HasSubstr("mean=1/2"));
  EXPECT_THAT(error_of("center_crop(8) normalize(mean=1/2/3/4, std=1/1/1)"), HasSubstr("mean=1/2/3/4"));
  EXPECT_THAT(error_of("center_crop(8) normalize(mean=0/0/0, std=1/0/1)"), HasSubstr("std"));
  EXPECT_THAT(error_of("center_crop(8) normalize(mean=0/0/0)"), HasSubstr("no std"));
  EXPECT_THAT(error_of("center_crop(8) tensor(f32, f16)"), HasSubstr("'f16'"));
  EXPECT_THAT(error_of("random_crop(8, padding=-1)"), HasSubstr("padding=-1"));
  EXPECT_THAT(error_of("random_crop(8, 2, 3)"), HasSubstr("one value too many"));
  EXPECT_THAT(error_of("center_crop(8, size=9)"), HasSubstr("'size' twice"));
}

TEST(Recipe, BrokenTextIsRefusedNotGuessed) {
  EXPECT_THAT(error_of("center_crop(224"), HasSubstr("never closed"));
  EXPECT_THAT(error_of("center_crop(224) )"), HasSubstr("outside of brackets"));
  EXPECT_THAT(error_of("center_crop(224),flip"), HasSubstr("behind a bracket"));
  EXPECT_THAT(error_of("center_crop(224)flip"), HasSubstr("behind a bracket"));
  EXPECT_THAT(error_of("center_crop(224) | flip"), HasSubstr("outside of brackets"));
  EXPECT_THAT(error_of("(224)"), HasSubstr("without a step's name"));
  EXPECT_THAT(error_of("center_crop((224))"), HasSubstr("bracket inside a bracket"));
  EXPECT_THAT(error_of("random_crop(8,,padding=1)"), HasSubstr("empty value"));
  EXPECT_THAT(error_of("random_crop(8, padding=)"), HasSubstr("'padding='"));
  EXPECT_THAT(error_of("random_crop(padding=1, 8)"), HasSubstr("plain values first"));
  EXPECT_THAT(error_of("random_crop(8, padding=1, padding=2)"), HasSubstr("twice"));
  EXPECT_THAT(error_of(""), HasSubstr("no steps"));
  EXPECT_THAT(error_of(" \n "), HasSubstr("no steps"));
}

TEST(Recipe, ArraysAreTakenAsTheyAre) {
  const Recipe recipe = Recipe::parse("array(20x129x37)");
  EXPECT_TRUE(recipe.is_array());
  EXPECT_EQ(recipe.shape(), (std::vector<std::size_t>{20, 129, 37}));
  EXPECT_EQ(recipe.dtype(), DType::f32);
  EXPECT_EQ(recipe.bytes_per_sample(), 20U * 129 * 37 * 4);
  EXPECT_EQ(recipe.output_size(), Size{});
  EXPECT_EQ(recipe.to_string(), "array(20x129x37)");
  const Recipe halves = Recipe::parse("array(7) tensor(f16)");
  EXPECT_EQ(halves.bytes_per_sample(), 14U);
  EXPECT_EQ(Recipe::parse(halves.to_string()).steps(), halves.steps());
  EXPECT_EQ(Recipe::parse("center_crop(8x6)").shape(), (std::vector<std::size_t>{3, 6, 8}));
  EXPECT_EQ(Recipe::parse("center_crop(8x6) tensor(nhwc)").shape(), (std::vector<std::size_t>{6, 8, 3}));
}

TEST(Recipe, ArraysTakeNoOtherStep) {
  EXPECT_THAT(error_of("array(3x4) flip"), HasSubstr("--precompute"));
  EXPECT_THAT(error_of("center_crop(8) array(3x4)"), HasSubstr("steps in front of it"));
  EXPECT_THAT(error_of("array(3x4) tensor(u8)"), HasSubstr("tensor(f16)"));
  EXPECT_THAT(error_of("array(3x4) tensor(nhwc)"), HasSubstr("tensor(f16)"));
  EXPECT_THAT(error_of("array(3x4) tensor(f32) tensor(f32)"), HasSubstr("array alone"));
  for (const char* wrong : {"array", "array(0x3)", "array(3x)", "array(a)", "array(-3)", "array(3, 4)"})
    EXPECT_THAT(error_of(wrong), HasSubstr("array")) << wrong;
  EXPECT_THAT(error_of("array(1x1x1x1x1x1x1x1x1)"), HasSubstr("1..8"));
  EXPECT_THAT(error_of("array(65536x65536)"), HasSubstr("268435456"));
}

TEST(Recipe, AnOpenSizeIsRefusedWithWhatToAdd) {
  EXPECT_THAT(error_of("resize(256)"), AllOf(HasSubstr("'resize(256)'"), HasSubstr("add center_crop(256)")));
  EXPECT_THAT(error_of("center_crop(8) resize(256) flip"), HasSubstr("add center_crop(256)"));
  EXPECT_THAT(error_of("flip"), HasSubstr("no step fixes the size"));
  EXPECT_EQ(Recipe::parse("resize(256x100)").output_size(), (Size{256, 100}));
  EXPECT_EQ(Recipe::parse("resize(256) random_crop(9)").output_size(), (Size{9, 9}));
}

TEST(Recipe, StepsHaveTheirOrderAndNumber) {
  EXPECT_THAT(error_of("resize(256) random_resized_crop(224)"),
              AllOf(HasSubstr("second step that resizes"), HasSubstr("'resize(256)' does already")));
  EXPECT_THAT(error_of("resize(8x8) resize(9x9)"), HasSubstr("at most one"));
  EXPECT_THAT(error_of("random_crop(8, padding=1) resize(9x9)"), HasSubstr("put the resize first"));
  EXPECT_THAT(error_of("center_crop(8) flip flip"), HasSubstr("second flip"));
  EXPECT_THAT(error_of("normalize(imagenet) center_crop(8)"), HasSubstr("too late"));
  EXPECT_THAT(error_of("center_crop(8) normalize(imagenet) normalize(imagenet)"), HasSubstr("already"));
  EXPECT_THAT(error_of("center_crop(8) tensor(u8) normalize(imagenet)"), HasSubstr("too late"));
  EXPECT_THAT(error_of("center_crop(8) normalize(imagenet) tensor(u8)"), HasSubstr("fractions"));
}

TEST(Recipe, StepsFromCodeAreCheckedToo) {
  EXPECT_THROW(Recipe({CenterCrop{{0, 5}}}), Error);
  EXPECT_THROW(Recipe({CenterCrop{{20000, 5}}}), Error);
  EXPECT_THROW(Recipe({RandomResizedCrop{.size = {8, 8}, .scale_min = 0.5, .scale_max = 0.4}}), Error);
  EXPECT_THROW(Recipe({RandomResizedCrop{.size = {8, 8}, .ratio_min = 0}}), Error);
  EXPECT_THROW(Recipe({CenterCrop{{8, 8}}, Flip{-0.1}}), Error);
  EXPECT_THROW(Recipe({CenterCrop{{8, 8}}, Normalize{{0, 0, 0}, {1, 1, -1}}}), Error);
  EXPECT_THROW(Recipe({RandomCrop{{8, 8}, -3}}), Error);
  EXPECT_THROW(Recipe({ResizeStep{}}), Error);
  EXPECT_THROW(Recipe(std::vector<Step>{}), Error);
  EXPECT_EQ(Recipe({CenterCrop{{8, 8}}}).steps().size(), 2U);  // a tensor step ends every list
}

}  // namespace
}  // namespace stoker
