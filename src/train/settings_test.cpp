#include "train/settings.hpp"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <limits>

#include "stoker/recipe.hpp"

namespace stoker::training {
namespace {

using ::testing::HasSubstr;

TrainOptions good_options() {
  TrainOptions options;
  options.data_train = "train.rec";
  return options;
}

TEST(CheckOptions, DefaultsWithDataAreFine) { EXPECT_TRUE(check_options(with_defaults(good_options()))); }

struct Misuse {
  const char* option;
  std::function<void(TrainOptions&)> change;
};

class CheckOptionsMisuse : public ::testing::TestWithParam<Misuse> {};

TEST_P(CheckOptionsMisuse, IsRefusedByName) {
  TrainOptions options = good_options();
  GetParam().change(options);
  const auto checked = check_options(with_defaults(options));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(checked.error().parts().object, GetParam().option);
  EXPECT_FALSE(checked.error().parts().allowed.empty());
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    All, CheckOptionsMisuse,
    ::testing::Values(Misuse{"--network", [](TrainOptions& o) { o.network = "vgg"; }},
                      Misuse{"--num-layers", [](TrainOptions& o) { o.num_layers = 14; }},
                      Misuse{"--num-layers", [](TrainOptions& o) { o.num_layers = -8; }},
                      Misuse{"--width", [](TrainOptions& o) { o.width = 0; }},
                      Misuse{"--width", [](TrainOptions& o) { o.width = 1 << 20; }},
                      Misuse{"--image-shape", [](TrainOptions& o) { o.image_size = Size{4, 64}; }},
                      Misuse{"--image-shape", [](TrainOptions& o) { o.image_size = Size{64, 1 << 20}; }},
                      Misuse{"--num-classes", [](TrainOptions& o) { o.num_classes = 1; }},
                      Misuse{"--num-classes", [](TrainOptions& o) { o.num_classes = -2; }},
                      Misuse{"--lr", [](TrainOptions& o) { o.lr = 0; }},
                      Misuse{"--lr", [](TrainOptions& o) { o.lr = kNan; }},
                      Misuse{"--lr", [](TrainOptions& o) { o.lr = kInfinity; }},
                      Misuse{"--mom", [](TrainOptions& o) { o.mom = 1; }},
                      Misuse{"--mom", [](TrainOptions& o) { o.mom = -0.1; }},
                      Misuse{"--wd", [](TrainOptions& o) { o.wd = -1e-4; }},
                      Misuse{"--wd", [](TrainOptions& o) { o.wd = kNan; }},
                      Misuse{"--label-smoothing", [](TrainOptions& o) { o.label_smoothing = 1; }},
                      Misuse{"--warmup-steps", [](TrainOptions& o) { o.warmup_steps = -1; }},
                      Misuse{"--data-train", [](TrainOptions& o) { o.data_train.clear(); }},
                      Misuse{"--batch-size", [](TrainOptions& o) { o.batch_size = 0; }},
                      Misuse{"--num-epochs", [](TrainOptions& o) { o.num_epochs = 0; }},
                      Misuse{"--disp-batches", [](TrainOptions& o) { o.disp_batches = 0; }},
                      Misuse{"--data-nthreads", [](TrainOptions& o) { o.data_nthreads = -1; }},
                      Misuse{"--compute-threads", [](TrainOptions& o) { o.compute_threads = -1; }},
                      Misuse{"--top-k", [](TrainOptions& o) { o.top_k = -1; }},
                      Misuse{"--crop-scale-min", [](TrainOptions& o) { o.crop_scale_min = 0; }},
                      Misuse{"--crop-scale-min", [](TrainOptions& o) { o.crop_scale_min = 1.5; }},
                      Misuse{"--num-layers", [](TrainOptions& o) { o.num_layers = 19; }},
                      Misuse{"--image-shape",
                             [](TrainOptions& o) {
                               o.num_layers = 50;
                               o.image_size = Size{32, 32};
                             }},
                      Misuse{"--image-shape-schedule",
                             [](TrainOptions& o) { o.image_size_schedule = {{5, {64, 64}}, {5, {96, 96}}}; }},
                      Misuse{"--image-shape-schedule",
                             [](TrainOptions& o) { o.image_size_schedule = {{0, {4, 4}}}; }},
                      Misuse{"--lr-step-epochs", [](TrainOptions& o) { o.lr_schedule = LrSchedule::step; }},
                      Misuse{"--lr-step-epochs", [](TrainOptions& o) { o.lr_step_epochs = {30}; }},
                      Misuse{"--lr-step-epochs",
                             [](TrainOptions& o) {
                               o.lr_schedule = LrSchedule::step;
                               o.lr_step_epochs = {60, 30};
                             }},
                      Misuse{"--lr-factor", [](TrainOptions& o) { o.lr_factor = 0; }},
                      Misuse{"--accumulate", [](TrainOptions& o) { o.accumulate = 0; }},
                      Misuse{"--ema-decay", [](TrainOptions& o) { o.ema_decay = 1; }},
                      Misuse{"--nesterov",
                             [](TrainOptions& o) {
                               o.nesterov = true;
                               o.mom = 0;
                             }},
                      Misuse{"--resume", [](TrainOptions& o) { o.resume = true; }},
                      Misuse{"--load-epoch", [](TrainOptions& o) { o.load_epoch = 3; }},
                      Misuse{"--load-epoch",
                             [](TrainOptions& o) {
                               o.model_prefix = "p";
                               o.resume = true;
                               o.load_epoch = 3;
                             }},
                      Misuse{"--checkpoint-every", [](TrainOptions& o) { o.checkpoint_steps = 3; }},
                      Misuse{"--keep", [](TrainOptions& o) { o.keep = -1; }},
                      Misuse{"--price", [](TrainOptions& o) { o.price_per_h = -2; }},
                      Misuse{"--gpus", [](TrainOptions& o) { o.gpu = -1; }},
                      Misuse{"--max-bad-share", [](TrainOptions& o) { o.max_bad_share = -0.5; }},
                      Misuse{"--max-minutes", [](TrainOptions& o) { o.max_minutes = -1; }}));

TEST(Recipes, TrainingCropsAtRandomAndFlips) {
  TrainOptions options = good_options();
  options.image_size = Size{64, 64};
  options.crop_scale_min = 0.35;
  const std::string text = train_recipe(options, *options.image_size);
  EXPECT_THAT(text, HasSubstr("random_resized_crop(64, scale=0.35..1"));
  EXPECT_THAT(text, HasSubstr("flip"));
  const Recipe recipe = Recipe::parse(text);
  EXPECT_EQ(recipe.output_size(), (Size{64, 64}));
  EXPECT_EQ(recipe.dtype(), DType::f32);
  EXPECT_EQ(recipe.layout(), Layout::nhwc);
}

TEST(Recipes, AGpuGetsTheBytesOfTheSamePictures) {
  TrainOptions options = good_options();
  options.image_size = Size{64, 64};
  options.crop_scale_min = 0.35;
  const auto recipes = [&] {
    return std::vector{Recipe::parse(train_recipe(options, *options.image_size)),
                       Recipe::parse(eval_recipe(options, *options.image_size))};
  };
  const std::vector<Recipe> cpu = recipes();
  options.gpu = 0;
  const std::vector<Recipe> gpu = recipes();
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    EXPECT_EQ(gpu[i].dtype(), DType::u8);
    EXPECT_EQ(gpu[i].layout(), Layout::nhwc);
    EXPECT_EQ(gpu[i].output_size(), cpu[i].output_size());
    // Draws go by a step's place in the list: those in front of the numbers stand where they stood.
    const std::vector<Step>& steps = gpu[i].steps();
    for (std::size_t step = 0; step + 1 < steps.size(); ++step) EXPECT_EQ(steps[step], cpu[i].steps()[step]);
  }
}

TEST(Recipes, EvaluationHasNoRandomStep) {
  TrainOptions options = good_options();
  options.image_size = Size{64, 64};
  const Recipe recipe = Recipe::parse(eval_recipe(options, *options.image_size));
  for (const Step& step : recipe.steps()) {
    EXPECT_FALSE(std::holds_alternative<RandomResizedCrop>(step));
    EXPECT_FALSE(std::holds_alternative<RandomCrop>(step));
    EXPECT_FALSE(std::holds_alternative<Flip>(step));
  }
  EXPECT_EQ(std::get<ResizeStep>(recipe.steps().front()).short_side, 73);
  EXPECT_EQ(recipe.output_size(), (Size{64, 64}));
  EXPECT_EQ(recipe.layout(), Layout::nhwc);
}

TEST(Recipes, EvaluationOfAWidePictureCoversIt) {
  TrainOptions options = good_options();
  options.image_size = Size{.width = 128, .height = 32};
  const Recipe recipe = Recipe::parse(eval_recipe(options, *options.image_size));
  EXPECT_GE(std::get<ResizeStep>(recipe.steps().front()).short_side, 128);
  EXPECT_EQ(recipe.output_size(), (Size{128, 32}));
}

TEST(Defaults, FollowTheNetwork) {
  TrainOptions options;
  options.num_layers = 50;
  const TrainOptions large = with_defaults(options);
  EXPECT_EQ(*large.image_size, (Size{224, 224}));
  EXPECT_EQ(*large.wd, 1e-4);
  EXPECT_EQ(large.width, 64);
  EXPECT_EQ(*large.crop_scale_min, 0.08);
  EXPECT_THAT(eval_recipe(large, *large.image_size), HasSubstr("resize(256)"));
  options.num_layers = 8;
  EXPECT_EQ(*with_defaults(options).image_size, (Size{64, 64}));
  options.wd = 0;
  EXPECT_EQ(*with_defaults(options).wd, 0) << "what is given stays";
}

TEST(Sizes, ChangeBetweenEpochs) {
  TrainOptions options;
  options.image_size = Size{64, 64};
  options.image_size_schedule = {{2, {128, 128}}, {5, {96, 96}}};
  EXPECT_EQ(size_of_epoch(options, 1).width, 64);
  EXPECT_EQ(size_of_epoch(options, 2).width, 128);
  EXPECT_EQ(size_of_epoch(options, 4).width, 128);
  EXPECT_EQ(size_of_epoch(options, 9).width, 96);
  EXPECT_EQ(largest_size(options).width, 128);
}

TEST(ComputeThreads, FollowTheCpusThatMayBeUsed) {
  const TrainOptions options;
  EXPECT_EQ(compute_threads(options, 0), 1);
  EXPECT_EQ(compute_threads(options, 1), 1);
  EXPECT_EQ(compute_threads(options, 2), 2);
  EXPECT_EQ(compute_threads(options, 8), 7);
}

TEST(ComputeThreads, AreFewWhereAGpuComputes) {
  TrainOptions options;
  options.gpu = 0;
  EXPECT_EQ(compute_threads(options, 8), 1);
}

TEST(ComputeThreads, AreThoseThatWereAskedFor) {
  TrainOptions options;
  options.compute_threads = 5;
  EXPECT_EQ(compute_threads(options, 2), 5);
}

}  // namespace
}  // namespace stoker::training
