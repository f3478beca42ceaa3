#include "train/torch/sgd.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace stoker::training {
namespace {

// One number to learn; its gradient is `slope` in every step.
struct Scalar {
  explicit Scalar(double value, bool decays)
      : parameter{"x", at::full({1}, value, at::kDouble), decays ? Role::weight : Role::plain} {
    parameter.tensor.requires_grad_(true);
  }
  void slope(double slope) { parameter.tensor.mul(slope).sum().backward(); }
  double value() const { return parameter.tensor.item<double>(); }

  Entry parameter;
};

TEST(Sgd, FollowsItsFormula) {
  Scalar x(2.0, true);
  Sgd sgd({x.parameter}, {.mom = 0.9, .wd = 0.01});
  double value = 2.0;
  double velocity = 0;
  for (int i = 0; i < 5; ++i) {
    const double slope = 0.5 * (i + 1);
    const double lr = 0.1 / (i + 1);
    x.slope(slope);
    sgd.step(lr);
    velocity = 0.9 * velocity + slope + 0.01 * value;
    value -= lr * velocity;
    EXPECT_NEAR(x.value(), value, 1e-12);
  }
}

TEST(Sgd, FollowsNesterovsFormula) {
  Scalar x(2.0, true);
  Sgd sgd({x.parameter}, {.mom = 0.9, .wd = 0.01, .nesterov = true});
  double value = 2.0;
  double velocity = 0;
  for (int i = 0; i < 5; ++i) {
    const double slope = 0.5 * (i + 1);
    const double lr = 0.1 / (i + 1);
    x.slope(slope);
    sgd.step(lr);
    const double gradient = slope + 0.01 * value;
    velocity = 0.9 * velocity + gradient;
    value -= lr * (gradient + 0.9 * velocity);
    EXPECT_NEAR(x.value(), value, 1e-12);
  }
}

// The fused update walks memories side by side, whatever the order of their dimensions.
TEST(Sgd, TakesGradientsOfAnotherMemoryFormat) {
  Entry entry{"w", at::zeros({2, 3, 4, 5}, at::kDouble).contiguous(at::MemoryFormat::ChannelsLast)};
  entry.tensor.requires_grad_(true);
  Sgd sgd({entry}, {.mom = 0, .wd = 0});
  const at::Tensor slopes = at::arange(120, at::kDouble).reshape({2, 3, 4, 5});
  entry.tensor.mutable_grad() = slopes.clone();
  EXPECT_TRUE(sgd.step(1.0));
  EXPECT_TRUE(at::equal(entry.tensor.detach(), -slopes));
}

TEST(Sgd, NormsAndBiasesDoNotDecay) {
  Scalar x(2.0, false);
  Sgd sgd({x.parameter}, {.mom = 0.9, .wd = 0.5});
  x.slope(0);
  sgd.step(0.1);
  EXPECT_EQ(x.value(), 2.0);
}

TEST(Sgd, DropsTheGradientItUsed) {
  Scalar x(2.0, true);
  Sgd sgd({x.parameter}, {.mom = 0, .wd = 0});
  x.slope(1);
  sgd.step(0.1);
  EXPECT_NEAR(x.value(), 1.9, 1e-12);
  EXPECT_FALSE(sgd.step(0.1));  // no gradient: nothing moves
  EXPECT_NEAR(x.value(), 1.9, 1e-12);
}

}  // namespace
}  // namespace stoker::training
