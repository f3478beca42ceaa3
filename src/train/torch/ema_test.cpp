#include "train/torch/ema.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

namespace stoker::training {
namespace {

TEST(Ema, FollowsItsFormula) {
  const at::NoGradGuard no_grad;
  const NetworkSpec spec{.num_layers = 8, .width = 1, .num_classes = 2};
  const ResNet network(spec, at::make_generator<at::CPUGeneratorImpl>(3));
  Ema ema(spec, network.entries(), 0.75);
  double expected = 0;
  for (int i = 0; i < 5; ++i) {
    const double value = i * i + 1;
    for (const Entry& entry : network.entries()) at::Tensor(entry.tensor).fill_(value);
    ema.update(network.entries());
    expected = i == 0 ? value : 0.75 * expected + 0.25 * value;
    for (const Entry& entry : ema.network().entries())
      EXPECT_NEAR(entry.tensor.max().item<double>(), entry.role == Role::count ? value : expected, 1e-5)
          << entry.name;
  }
  EXPECT_EQ(ema.updates(), 5);
}

}  // namespace
}  // namespace stoker::training
