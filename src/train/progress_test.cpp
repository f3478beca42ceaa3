#include "train/progress.hpp"

#include <gtest/gtest.h>

namespace stoker::training {
namespace {

Stretch stretch(std::uint64_t images, std::uint64_t steps, double wait_s, double wall_s) {
  return {.outcome = {.counted = images,
                      .correct = images / 4,
                      .top_k_correct = images / 2,
                      .loss_sum = 2.0 * double(images)},
          .steps = steps,
          .wait_s = wait_s,
          .wall_s = wall_s};
}

TEST(Stretch, AddsUpBatches) {
  Stretch sum = stretch(32, 1, 0.1, 0.5);
  sum += stretch(8, 1, 0.1, 0.5);
  EXPECT_EQ(sum.outcome.counted, 40U);
  EXPECT_EQ(sum.outcome.correct, 10U);
  EXPECT_EQ(sum.steps, 2U);
  EXPECT_DOUBLE_EQ(sum.images_per_s(), 40);
  EXPECT_DOUBLE_EQ(sum.data_wait_share(), 0.2);
}

TEST(Stretch, HasNoRateWhereNoTimePassed) {
  EXPECT_EQ(Stretch{}.images_per_s(), 0);
  EXPECT_EQ(Stretch{}.data_wait_share(), 0);
}

TEST(FillLine, GivesMeansAndShares) {
  TrainLine line;
  fill_line(stretch(32, 1, 0, 2), /*with_top_k=*/true, line);
  EXPECT_DOUBLE_EQ(line.loss, 2);
  EXPECT_DOUBLE_EQ(line.accuracy, 0.25);
  EXPECT_DOUBLE_EQ(line.top_k_accuracy.value(), 0.5);
  EXPECT_DOUBLE_EQ(line.images_per_s, 16);
}

TEST(FillLine, LeavesTopKEmptyUnlessAskedFor) {
  TrainLine line;
  fill_line(stretch(32, 1, 0, 2), /*with_top_k=*/false, line);
  EXPECT_FALSE(line.top_k_accuracy.has_value());
}

TEST(EtaEstimator, KnowsNothingBeforeTheFirstStretch) {
  const EtaEstimator eta(100, 10, 320);
  EXPECT_FALSE(eta.epoch_s(0).has_value());
  EXPECT_FALSE(eta.total_s(0, 10).has_value());
}

TEST(EtaEstimator, CountsTheStepsLeft) {
  EtaEstimator eta(100, 10, 0);
  eta.add_training(stretch(640, 20, 0, 10));  // 0.5 s a step
  EXPECT_DOUBLE_EQ(eta.epoch_s(20).value(), 40);
  EXPECT_DOUBLE_EQ(eta.total_s(20, 0).value(), 490);
  EXPECT_DOUBLE_EQ(eta.epoch_s(100).value(), 0);  // the epoch's end
  EXPECT_DOUBLE_EQ(eta.total_s(1000, 0).value(), 0);
}

TEST(EtaEstimator, CountsEvaluationsByTheirImagesUntilOneWasTimed) {
  EtaEstimator eta(100, 10, 320);
  eta.add_training(stretch(640, 20, 0, 10));  // 64 images/s
  EXPECT_DOUBLE_EQ(eta.total_s(1000, 1).value(), 5);
  eta.add_evaluation(2);
  EXPECT_DOUBLE_EQ(eta.total_s(1000, 1).value(), 2);
  EXPECT_DOUBLE_EQ(eta.total_s(900, 2).value(), 54);
}

TEST(EtaEstimator, FollowsAChangeOfSpeed) {
  EtaEstimator eta(100, 1, 0);
  eta.add_training(stretch(32, 1, 0, 10));
  for (int i = 0; i < 20; ++i) eta.add_training(stretch(32, 1, 0, 1));
  EXPECT_NEAR(eta.total_s(50, 0).value(), 50, 1);
}

TEST(EtaEstimator, ATimeWithoutAnyImageSaysNothing) {
  EtaEstimator eta(100, 1, 0);
  eta.add_training(Stretch{.steps = 3, .wall_s = 5});
  EXPECT_FALSE(eta.epoch_s(3).has_value());
}

}  // namespace
}  // namespace stoker::training
