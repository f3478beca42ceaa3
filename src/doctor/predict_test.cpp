#include "doctor/predict.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace stoker::doctor {

namespace {

TEST(Predict, ConsumerLimitIsOneOverWhatIsNotStall) {
  EXPECT_DOUBLE_EQ(consumer_limit(0), 1);
  EXPECT_DOUBLE_EQ(consumer_limit(0.5), 2);
  EXPECT_DOUBLE_EQ(consumer_limit(0.75), 4);
}

TEST(Predict, ConsumerLimitStaysFiniteWhereAllIsStall) { EXPECT_DOUBLE_EQ(consumer_limit(1), 1000); }

TEST(Predict, ProducersAreLimitedByWorkersOrByCpus) {
  // Two workers use 1.6 CPUs for today's rate; the main thread 0.1; 8 CPUs.
  const Producers p{.cpu = 1.6, .main_cpu = 0.1, .waits = 0, .cpus = 8};
  EXPECT_DOUBLE_EQ(producer_limit(p, 2), 2 / 1.6);
  EXPECT_DOUBLE_EQ(producer_limit(p, 4), 4 / 1.6);
  EXPECT_DOUBLE_EQ(producer_limit(p, 100), 8 / 1.7);
}

TEST(Predict, WaitingCountsForWorkersAndNotForCpus) {
  const Producers p{.cpu = 0.5, .main_cpu = 0, .waits = 1.5, .cpus = 2};
  EXPECT_DOUBLE_EQ(producer_limit(p, 2), 1);
  EXPECT_DOUBLE_EQ(producer_limit(p, 4), 2);
  EXPECT_DOUBLE_EQ(producer_limit(p, 64), 4);
}

TEST(Predict, OneWorkerNeverQueues) {
  const Producers p{.cpu = 0.4, .main_cpu = 0, .waits = 0.6, .cpus = 2};
  EXPECT_NEAR(queued_limit(p, 1), 1, 1e-12);
}

TEST(Predict, QueueingByHand) {
  // One CPU, demand 1, delay 1. k=1: R=1, X=1/2, Q=1/2. k=2: R=1.5, X=2/2.5=.8, Q=1.2. k=3: R=2.2, X=3/3.2.
  const Producers p{.cpu = 1, .main_cpu = 0, .waits = 1, .cpus = 1};
  EXPECT_NEAR(queued_limit(p, 1), 0.5, 1e-12);
  EXPECT_NEAR(queued_limit(p, 2), 0.8, 1e-12);
  EXPECT_NEAR(queued_limit(p, 3), 0.9375, 1e-12);
}

TEST(Predict, SeveralCpusBySeidmann) {
  // Two CPUs, demand 1: a server of 1/2 and a delay of 1/2 + 1. k=1: X=1/2, Q=1/4; k=2: R=.5*1.25, X=2/2.125.
  const Producers p{.cpu = 1, .main_cpu = 0, .waits = 1, .cpus = 2};
  EXPECT_NEAR(queued_limit(p, 1), 0.5, 1e-12);
  EXPECT_NEAR(queued_limit(p, 2), 2 / 2.125, 1e-12);
}

TEST(Predict, QueueingIsNeverAboveTheLimits) {
  const Producers p{.cpu = 0.8, .main_cpu = 0.2, .waits = 1.2, .cpus = 2};
  for (int k = 1; k < 40; ++k) EXPECT_LE(queued_limit(p, k), producer_limit(p, k) + 1e-12) << k;
}

TEST(Predict, SoftMinimum) {
  EXPECT_NEAR(soft_minimum(2, 2), 2 * std::pow(2, -1.0 / 8), 1e-12);  // 8 % below at balance
  EXPECT_NEAR(soft_minimum(1, 1000), 1, 1e-9);
  EXPECT_NEAR(soft_minimum(1000, 1), 1, 1e-9);
  EXPECT_DOUBLE_EQ(soft_minimum(1.5, 2), soft_minimum(2, 1.5));
  EXPECT_EQ(soft_minimum(0, 2), 0);
}

TEST(Predict, SmallestNumberWithinTwoPercentOfTheBest) {
  // One CPU a worker, 4 CPUs, a consumer that takes twice today's: 3 workers give 1.99, 4 give 2.00.
  const Producers p{.cpu = 1, .main_cpu = 0, .waits = 0, .cpus = 4};
  EXPECT_EQ(enough_workers(p, 2, 1, 4, false), 3);
  EXPECT_EQ(enough_workers(p, 100, 1, 4, false), 4);
  EXPECT_EQ(enough_workers(p, 1.01, 1, 4, false), 2);
}

TEST(Predict, NeverFewerWorkersThanToday) {
  const Producers p{.cpu = 1, .main_cpu = 0, .waits = 0, .cpus = 4};
  EXPECT_EQ(enough_workers(p, 1, 6, 4, false), 6);
}

TEST(Predict, NothingMeasuredDividesByNothing) {
  const Producers p{.cpu = 0, .main_cpu = 0, .waits = 0, .cpus = 0};
  EXPECT_TRUE(std::isfinite(producer_limit(p, 1)));
  EXPECT_TRUE(std::isfinite(queued_limit(p, 4)));
}

}  // namespace

}  // namespace stoker::doctor
