#include "train/loop.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <vector>

#include "train/loop_fixtures.hpp"
#include "train/schedule.hpp"

namespace stoker::training::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

TEST_F(TrainingLoop, ReportsEachStretchAndEachEvaluation) {
  add_pictures("train", {"a", "b"}, 6);  // 12: 3 steps of 4 an epoch
  add_pictures("val", {"a", "b"}, 3);
  script_.loss = 1.5;
  const TrainReport report = run();

  const std::vector<TrainLine> training = lines_of(TrainPhase::train);
  ASSERT_EQ(training.size(), 4U);  // 2 batches, then the 1 that is left of the epoch, twice
  EXPECT_EQ(training[0].step, 2U);
  EXPECT_EQ(training[1].step, 3U);
  EXPECT_EQ(training[3].step, 6U);
  EXPECT_EQ(training[3].epoch, 1);
  EXPECT_EQ(training[0].total_steps, 6U);
  EXPECT_DOUBLE_EQ(training[0].loss, 1.5);
  EXPECT_DOUBLE_EQ(training[0].accuracy, 0.5);
  EXPECT_GT(training[0].images_per_s, 0);
  EXPECT_GE(training[0].data_wait_share, 0);
  EXPECT_LE(training[0].data_wait_share, 1);
  EXPECT_TRUE(training[0].total_eta_s.has_value());
  EXPECT_FALSE(training[0].top_k_accuracy.has_value());
  EXPECT_DOUBLE_EQ(training[1].epoch_eta_s.value(), 0);

  ASSERT_EQ(report.evaluations.size(), 2U);
  EXPECT_EQ(lines_of(TrainPhase::eval).size(), 2U);
  EXPECT_EQ(report.evaluations[1].epoch, 1);
  EXPECT_DOUBLE_EQ(report.evaluations[1].total_eta_s.value(), 0);
  EXPECT_DOUBLE_EQ(report.final_accuracy, 0.5);
  EXPECT_EQ(report.images, 24U);
  EXPECT_FALSE(report.interrupted);
  EXPECT_GT(report.wall_s, 0);
}

TEST_F(TrainingLoop, FollowsTheSchedule) {
  add_pictures("train", {"a", "b"}, 8);
  options_.data_val.clear();
  options_.num_epochs = 5;
  options_.lr = 0.2;
  options_.warmup_steps = 3;
  run();
  const Schedule schedule({.lr = 0.2, .warmup_steps = 3, .total_steps = 20});
  ASSERT_EQ(script_.rates.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_DOUBLE_EQ(script_.rates[i], schedule.lr(i));
}

TEST_F(TrainingLoop, GivesTheLearnerItsSpecAndEveryLabel) {
  add_pictures("train", {"a", "b", "c"}, 4);
  add_pictures("val", {"a", "b", "c"}, 2);
  options_.num_epochs = 1;
  options_.seed = 9;
  options_.top_k = 2;
  run();
  EXPECT_EQ(script_.spec.network.num_classes, 3);
  EXPECT_EQ(script_.spec.seed, 9U);
  EXPECT_EQ(script_.spec.top_k, 2);
  EXPECT_THAT(script_.sizes, Each(Size{16, 16}));
  EXPECT_GE(script_.spec.compute_threads, 1);
  std::vector<int> counts(3);
  for (const auto& labels : script_.train_labels)
    for (const std::int64_t label : labels) ++counts.at(static_cast<std::size_t>(label));
  EXPECT_THAT(counts, Each(4));
  const std::vector<std::vector<std::int64_t>> in_order{{0, 0, 1, 1}, {2, 2}};
  EXPECT_EQ(script_.eval_labels, in_order);
  for (const float pixel : script_.first_pixels) EXPECT_LE(std::abs(pixel), 2.7F);  // normalised
}

TEST_F(TrainingLoop, DropsTheRemainderOfAnEpochButNotAWholeSmallSet) {
  add_pictures("train", {"a", "b"}, 3);  // 6 of batch 4
  options_.data_val.clear();
  options_.num_epochs = 3;
  run();
  EXPECT_EQ(script_.train_labels.size(), 3U);
  for (const auto& labels : script_.train_labels) EXPECT_EQ(labels.size(), 4U);
  script_ = {};
  options_.batch_size = 32;
  EXPECT_EQ(run().images, 18U);
  EXPECT_EQ(script_.train_labels.size(), 3U);
}

TEST_F(TrainingLoop, StopsBehindTheStepInProgress) {
  add_pictures("train", {"a", "b"}, 8);
  add_pictures("val", {"a", "b"}, 2);
  script_.on_train_step = [this] { stop_ = script_.rates.size() == 3; };
  const TrainReport report = run();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(script_.rates.size(), 3U);
  EXPECT_TRUE(report.evaluations.empty());
  EXPECT_EQ(report.images, 12U);
  EXPECT_EQ(lines_.back().step, 3U);
}

TEST_F(TrainingLoop, AnInterruptedEvaluationIsNotReported) {
  add_pictures("train", {"a", "b"}, 4);
  add_pictures("val", {"a", "b"}, 8);
  script_.on_evaluate = [this] { stop_ = true; };
  const TrainReport report = run();
  EXPECT_TRUE(report.interrupted);
  EXPECT_TRUE(report.evaluations.empty());
  EXPECT_EQ(script_.eval_labels.size(), 1U);
}

TEST_F(TrainingLoop, EndsWithAnEvaluationWhenTimeIsUp) {
  add_pictures("train", {"a", "b"}, 8);
  add_pictures("val", {"a", "b"}, 2);
  options_.max_minutes = 1e-9;
  const TrainReport report = run();
  EXPECT_FALSE(report.interrupted);
  EXPECT_EQ(script_.rates.size(), 1U);
  EXPECT_EQ(report.evaluations.size(), 1U);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_THAT(report.notes.front(), HasSubstr("at step 1 of 8"));
}

TEST_F(TrainingLoop, ALossThatIsNoNumberStopsIt) {
  add_pictures("train", {"a", "b"}, 8);
  options_.data_val.clear();
  script_.on_train_step = [this] {
    if (script_.rates.size() == 2) script_.loss = std::numeric_limits<double>::quiet_NaN();
  };
  const Error error = error_of_run();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("step 2 (epoch 0)"));
  EXPECT_THAT(error.what(), HasSubstr("diverged"));
  EXPECT_THAT(error.what(), HasSubstr("--lr"));
  EXPECT_EQ(script_.rates.size(), 2U);
}

TEST_F(TrainingLoop, BadSamplesAreLeftOutAndNamed) {
  add_pictures("train", {"a", "b"}, 4);
  folder_.write("train/a/broken.jpg", "no picture");
  options_.data_val.clear();
  options_.max_bad_share = 1;
  options_.batch_size = 9;
  options_.num_epochs = 1;
  const TrainReport report = run();
  EXPECT_EQ(report.images, 8U);
  ASSERT_EQ(script_.train_labels.size(), 1U);
  EXPECT_EQ(std::ranges::count(script_.train_labels[0], kLeftOut), 1);
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("1 sample was bad")));
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("broken.jpg (key a/broken.jpg): ")))
      << "a file of its own has no offset to tell";
}

TEST_F(TrainingLoop, BadSamplesOfTheEvaluationAreLeftOutOfItsAccuracy) {
  add_pictures("train", {"a", "b"}, 4);
  add_pictures("val", {"a", "b"}, 2);
  folder_.write("val/b/0.jpg", "no picture");
  options_.max_bad_share = 1;
  options_.bad_sample = BadSamplePolicy::substitute;
  options_.num_epochs = 1;
  run();
  EXPECT_EQ(script_.eval_labels, (std::vector<std::vector<std::int64_t>>{{0, 0, kLeftOut, 1}}));
}

TEST_F(TrainingLoop, ASetOfBadSamplesAloneIsAnError) {
  add_pictures("train", {"a", "b"}, 4);
  folder_.write("val/a/0.jpg", "no picture");
  folder_.write("val/b/0.jpg", "no picture");
  options_.max_bad_share = 1;
  EXPECT_EQ(error_of_run().code(), ErrorCode::corrupt_data);
}

TEST_F(TrainingLoop, ThePolicyRaiseNamesTheSample) {
  add_pictures("train", {"a", "b"}, 4);
  folder_.write("train/a/broken.jpg", "no picture");
  options_.data_val.clear();
  options_.bad_sample = BadSamplePolicy::raise;
  options_.batch_size = 9;
  EXPECT_THAT(error_of_run().what(), HasSubstr("broken.jpg"));
}

TEST_F(TrainingLoop, DifferentClassMapsAreRefused) {
  add_pictures("train", {"ant", "bee"}, 4);
  add_pictures("val", {"ant", "cat"}, 4);
  const Error error = error_of_run();
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(), HasSubstr("\"bee\""));
  EXPECT_THAT(error.what(), HasSubstr("\"cat\""));
}

TEST_F(TrainingLoop, TopKBeyondTheClassesIsRefused) {
  add_pictures("train", {"a", "b"}, 4);
  options_.data_val.clear();
  options_.top_k = 3;
  EXPECT_EQ(error_of_run().parts().object, "--top-k");
}

TEST_F(TrainingLoop, AMissingSourceIsAnError) { EXPECT_EQ(error_of_run().code(), ErrorCode::not_found); }

TEST_F(TrainingLoop, ATooLongWarmUpIsNoted) {
  add_pictures("train", {"a", "b"}, 8);
  options_.data_val.clear();
  options_.warmup_steps = 50;
  EXPECT_THAT(run().notes, ::testing::Contains(HasSubstr("from 50 to 2 steps")));
}

TEST_F(TrainingLoop, TheLearnersErrorReachesTheCaller) {
  add_pictures("train", {"a", "b"}, 8);
  options_.data_val.clear();
  script_.on_train_step = [] { throw Error(ErrorCode::out_of_resources, {.found = "no memory"}); };
  EXPECT_EQ(error_of_run().code(), ErrorCode::out_of_resources);
}

TEST_F(TrainingLoop, TheSameSeedGivesTheSameBatches) {
  add_pictures("train", {"a", "b"}, 8);
  options_.data_val.clear();
  run();
  const Script first = std::exchange(script_, {});
  run();
  EXPECT_EQ(script_.train_labels, first.train_labels);
  EXPECT_EQ(script_.first_pixels, first.first_pixels);
  script_ = {};
  options_.seed = 1;
  run();
  EXPECT_NE(script_.first_pixels, first.first_pixels);
}

}  // namespace
}  // namespace stoker::training::test
