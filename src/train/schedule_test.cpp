#include "train/schedule.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace stoker::training {
namespace {

Schedule cosine(double lr, std::uint64_t warmup_steps, std::uint64_t total_steps) {
  return Schedule({.lr = lr, .warmup_steps = warmup_steps, .total_steps = total_steps});
}

TEST(Schedule, WarmsUpInEqualStepsToTheFullRate) {
  const Schedule schedule = cosine(0.1, 50, 1000);
  EXPECT_NEAR(schedule.lr(0), 0.1 / 50, 1e-12);
  EXPECT_NEAR(schedule.lr(24), 0.05, 1e-12);
  EXPECT_NEAR(schedule.lr(49), 0.1, 1e-12);
  EXPECT_NEAR(schedule.lr(50), 0.1, 1e-12);
}

TEST(Schedule, ComesDownByAHalfCosine) {
  const Schedule schedule = cosine(0.4, 100, 1100);
  EXPECT_NEAR(schedule.lr(600), 0.2, 1e-12);  // half-way behind the warm-up
  EXPECT_NEAR(schedule.lr(350), 0.4 * 0.5 * (1 + std::sqrt(0.5)), 1e-12);
  for (std::uint64_t step = 101; step < 1100; ++step) EXPECT_LT(schedule.lr(step), schedule.lr(step - 1));
  EXPECT_GT(schedule.lr(1099), 0);
}

TEST(Schedule, IsZeroBeyondItsEnd) {
  const Schedule schedule = cosine(0.1, 10, 100);
  EXPECT_EQ(schedule.lr(100), 0);
  EXPECT_EQ(schedule.lr(1'000'000), 0);
}

TEST(Schedule, AWarmUpLongerThanAQuarterIsShortened) {
  const Schedule schedule = cosine(0.1, 50, 20);
  EXPECT_EQ(schedule.warmup_steps(), 5U);
  EXPECT_NEAR(schedule.lr(4), 0.1, 1e-12);
  EXPECT_LT(schedule.lr(19), 0.01);
}

TEST(Schedule, WithoutWarmUpBeginsAtTheFullRate) {
  EXPECT_EQ(cosine(0.1, 0, 10).lr(0), 0.1);
  EXPECT_EQ(cosine(0.1, 50, 1).lr(0), 0.1);  // a quarter of one step is none
}

TEST(Schedule, DropsAtItsSteps) {
  const Schedule schedule({.kind = LrSchedule::step,
                           .lr = 1,
                           .warmup_steps = 2,
                           .total_steps = 100,
                           .drops = {30, 60},
                           .factor = 0.1});
  EXPECT_DOUBLE_EQ(schedule.lr(0), 0.5);
  EXPECT_DOUBLE_EQ(schedule.lr(29), 1);
  EXPECT_DOUBLE_EQ(schedule.lr(30), 0.1);
  EXPECT_DOUBLE_EQ(schedule.lr(59), 0.1);
  EXPECT_DOUBLE_EQ(schedule.lr(99), 0.01);
  EXPECT_EQ(schedule.lr(100), 0);
}

TEST(Schedule, ComesDownByASquare) {
  const Schedule schedule({.kind = LrSchedule::poly, .lr = 0.8, .warmup_steps = 10, .total_steps = 110});
  EXPECT_DOUBLE_EQ(schedule.lr(10), 0.8);
  EXPECT_DOUBLE_EQ(schedule.lr(60), 0.2);
  EXPECT_NEAR(schedule.lr(109), 0.8e-4, 1e-12);
}

}  // namespace
}  // namespace stoker::training
