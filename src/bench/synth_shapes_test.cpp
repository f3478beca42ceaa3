#include "bench/synth_shapes.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace stoker::bench {
namespace {

constexpr int kGrid = 200;

template <class Visit>
void each_place(const Visit& visit) {
  for (int i = -kGrid; i <= kGrid; ++i) {
    for (int j = -kGrid; j <= kGrid; ++j)
      visit(1.5F * static_cast<float>(j) / kGrid, 1.5F * static_cast<float>(i) / kGrid);
  }
}

class EveryShape : public ::testing::TestWithParam<int> {};

TEST_P(EveryShape, LiesWithinTheUnitCircleAndFillsAFairPartOfIt) {
  const auto shape = static_cast<Shape>(GetParam());
  int inside = 0, in_circle = 0;
  each_place([&](float x, float y) {
    const float radius = std::hypot(x, y);
    in_circle += radius <= 1;
    if (shape_distance(shape, x, y) >= 0) return;
    ++inside;
    EXPECT_LE(radius, 1.001F) << to_string(shape) << " at " << x << ", " << y;
  });
  EXPECT_GT(inside, in_circle / 4) << to_string(shape);
}

TEST_P(EveryShape, DistanceNeverGrowsFasterThanTheWay) {
  // Else an edge would come out jagged.
  const auto shape = static_cast<Shape>(GetParam());
  constexpr float kStep = 0.01F;
  each_place([&](float x, float y) {
    const float here = shape_distance(shape, x, y);
    EXPECT_LE(std::abs(shape_distance(shape, x + kStep, y) - here), kStep * 1.01F) << to_string(shape);
    EXPECT_LE(std::abs(shape_distance(shape, x, y + kStep) - here), kStep * 1.01F) << to_string(shape);
  });
}

TEST_P(EveryShape, DiffersFromEveryOther) {
  const auto shape = static_cast<Shape>(GetParam());
  for (int other = 0; other < GetParam(); ++other) {
    int different = 0;
    each_place([&](float x, float y) {
      different += (shape_distance(shape, x, y) < 0) != (shape_distance(static_cast<Shape>(other), x, y) < 0);
    });
    EXPECT_GT(different, 2000) << to_string(shape) << " and " << to_string(static_cast<Shape>(other));
    EXPECT_NE(to_string(shape), to_string(static_cast<Shape>(other)));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryShape, ::testing::Range(0, kShapeCount));

TEST(SynthShapes, StarHasFivePoints) {
  for (int i = 0; i < 5; ++i) {
    const double angle = 2 * M_PI * i / 5;
    const auto x = static_cast<float>(std::sin(angle)), y = static_cast<float>(-std::cos(angle));
    EXPECT_LT(shape_distance(Shape::star, 0.95F * x, 0.95F * y), 0);
    EXPECT_GT(shape_distance(Shape::star, -0.5F * x, -0.5F * y), 0);  // between two points
  }
}

TEST(SynthShapes, RingHasAHole) {
  EXPECT_GT(shape_distance(Shape::ring, 0, 0), 0);
  EXPECT_LT(shape_distance(Shape::ring, 0.72F, 0), 0);
}

TEST(SynthShapes, CapsuleDistance) {
  EXPECT_FLOAT_EQ(capsule_distance(0.5F, 2, 0, 0, 1, 0, 0.5F), 1.5F);
  EXPECT_FLOAT_EQ(capsule_distance(4, 4, 1, 0, 1, 0, 0), 5);  // a segment without length is a point
  EXPECT_LT(capsule_distance(1.2F, 0, 0, 0, 1, 0, 0.5F), 0);
}

}  // namespace
}  // namespace stoker::bench
