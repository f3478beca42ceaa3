#include <gtest/gtest.h>

#include "stoker/loader.hpp"

namespace stoker {
namespace {

TEST(DecodeCounts, ThePlainWayIsNotWorthALine) {
  EXPECT_EQ(to_string({.own = 9, .turbo = 1, .other = 2}), "");
}

TEST(DecodeCounts, SeekPointsAre) {
  EXPECT_EQ(to_string({.own = 1, .seek = 20}), "images decoded at seek points 20, without 1");
  EXPECT_EQ(
      to_string({.own = 1,
                 .seek = 20,
                 .turbo = 3,
                 .other = 4,
                 .points_failed = 5,
                 .published = "x.rec.seek",
                 .not_learned = "no space"}),
      "images decoded at seek points 20, without 1, by libjpeg-turbo 3, no JPEG 4; seek points that did "
      "not fit 5; learned points are in x.rec.seek; no more are learned: no space");
}

TEST(DecodeCounts, LearningThatEndedIsTold) {
  EXPECT_EQ(to_string({.own = 7, .not_learned = "nowhere to write"}),
            "images decoded at seek points 0, without 7; no more are learned: nowhere to write");
}

TEST(DecodeCounts, AddUp) {
  DecodeCounts sum{.own = 1, .seek = 2, .published = "a"};
  sum += {.own = 10,
          .seek = 20,
          .turbo = 30,
          .other = 40,
          .points_failed = 50,
          .learned = 60,
          .not_learned = "b"};
  EXPECT_EQ(sum.own, 11u);
  EXPECT_EQ(sum.seek, 22u);
  EXPECT_EQ(sum.turbo, 30u);
  EXPECT_EQ(sum.other, 40u);
  EXPECT_EQ(sum.points_failed, 50u);
  EXPECT_EQ(sum.learned, 60u);
  EXPECT_EQ(sum.published, "a");
  EXPECT_EQ(sum.not_learned, "b");
}

}  // namespace
}  // namespace stoker
