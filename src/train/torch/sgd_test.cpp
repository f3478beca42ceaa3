#include "train/torch/sgd.hpp"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

namespace stoker::training {
namespace {

// One number to learn; its gradient is `slope` in every step.
struct Scalar {
  explicit Scalar(double value, bool decays) : parameter{"x", at::full({1}, value, at::kDouble), decays} {
    parameter.tensor.requires_grad_(true);
  }
  void slope(double slope) { parameter.tensor.mul(slope).sum().backward(); }
  double value() const { return parameter.tensor.item<double>(); }

  Parameter parameter;
};

TEST(Sgd, FollowsItsFormula) {
  Scalar x(2.0, true);
  Sgd sgd({x.parameter}, /*mom=*/0.9, /*wd=*/0.01);
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

TEST(Sgd, NormsAndBiasesDoNotDecay) {
  Scalar x(2.0, false);
  Sgd sgd({x.parameter}, 0.9, 0.5);
  x.slope(0);
  sgd.step(0.1);
  EXPECT_EQ(x.value(), 2.0);
}

TEST(Sgd, DropsTheGradientItUsed) {
  Scalar x(2.0, true);
  Sgd sgd({x.parameter}, 0.0, 0.0);
  x.slope(1);
  sgd.step(0.1);
  EXPECT_NEAR(x.value(), 1.9, 1e-12);
  sgd.step(0.1);  // no gradient: nothing moves
  EXPECT_NEAR(x.value(), 1.9, 1e-12);
}

}  // namespace
}  // namespace stoker::training
