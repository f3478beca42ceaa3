#include "watch/gpu/util_samples.hpp"

#include <gtest/gtest.h>

namespace stoker::watch::nvml {
namespace {

constexpr Clocks kNow{.monotonic = 5000, .since_1970 = 1.7e9, .boot = 9000};

TEST(Clocks, StampsSince1970) {
  EXPECT_NEAR(kNow.monotonic_of(1'699'999'998'500'000), 4998.5, 1e-6);
  EXPECT_FALSE(kNow.since_boot(1'699'999'998'500'000));
  EXPECT_EQ(kNow.stamp_of(4999, false), 1'699'999'999'000'000);
}

TEST(Clocks, StampsSinceBoot) {
  EXPECT_NEAR(kNow.monotonic_of(8'998'500'000), 4998.5, 1e-6);
  EXPECT_TRUE(kNow.since_boot(8'998'500'000));
  EXPECT_EQ(kNow.stamp_of(4999, true), 8'999'000'000);
}

TEST(Clocks, NoStampIsBeforeTheClockBegan) { EXPECT_EQ(kNow.stamp_of(-1e10, false), 0); }

TEST(Clocks, NowIsOneInstant) {
  const Clocks first = Clocks::now();
  const Clocks second = Clocks::now();
  EXPECT_GE(second.monotonic, first.monotonic);
  EXPECT_GE(first.boot, first.monotonic);
  EXPECT_NEAR(second.boot - second.monotonic, first.boot - first.monotonic, 1e-3);
}

TEST(Percent, AboveAHundredIsGarbage) {
  EXPECT_EQ(to_percent(100), Reading<double>(100));
  EXPECT_EQ(to_percent(0), Reading<double>(0));
  EXPECT_EQ(to_percent(101).why(), "the driver told garbage: 101 %");
  EXPECT_FALSE(to_percent(-1).known());
  EXPECT_FALSE(to_percent(0.0 / 0.0).known());
}

}  // namespace
}  // namespace stoker::watch::nvml
