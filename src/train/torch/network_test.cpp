#include "train/torch/network.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace stoker::training {
namespace {

ResNet make(const NetworkSpec& shape, std::uint64_t seed = 1) {
  return ResNet(shape, at::make_generator<at::CPUGeneratorImpl>(seed));
}

std::vector<Entry> parameters(const ResNet& network) {
  std::vector<Entry> learned = network.entries();
  std::erase_if(learned, [](const Entry& entry) { return !entry.learned(); });
  return learned;
}

bool decays(const Entry& entry) { return entry.role == Role::weight; }

std::int64_t parameter_count(const ResNet& network) {
  std::int64_t count = 0;
  for (const Entry& parameter : parameters(network)) count += parameter.tensor.numel();
  return count;
}

at::Tensor pictures(std::int64_t count, std::int64_t height, std::int64_t width) {
  at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(7);
  return at::randn({count, 3, height, width}, generator).contiguous(at::MemoryFormat::ChannelsLast);
}

// Counts published for 10 classes with projection shortcuts; the paper's own, without their weights, are
// 2,752 fewer.
TEST(ResNet, HasThePublishedParameterCounts) {
  EXPECT_EQ(parameter_count(make({.num_layers = 20, .num_classes = 10})), 272'474);
  EXPECT_EQ(parameter_count(make({.num_layers = 32, .num_classes = 10})), 466'906);
  EXPECT_EQ(parameter_count(make({.num_layers = 56, .num_classes = 10})), 855'770);
}

TEST(ResNet, HasAsManyWeightLayersAsItsName) {
  for (const int num_layers : {8, 20, 32, 56}) {
    const ResNet network = make({.num_layers = num_layers, .width = 4});
    int layers = 0;
    for (const Entry& parameter : parameters(network))
      if (decays(parameter) && parameter.name.find("downsample") == std::string::npos) ++layers;
    EXPECT_EQ(layers, num_layers);
  }
}

TEST(ResNet, WidthScalesAllStages) {
  // Computed by hand for 8 layers: first convolution, three blocks, two projections, norms, linear layer.
  const auto expected = [](std::int64_t w, std::int64_t classes) {
    const auto block = [](std::int64_t in, std::int64_t out) {
      return 9 * in * out + 9 * out * out + 4 * out + (in == out ? 0 : in * out + 2 * out);
    };
    return 27 * w + 2 * w + block(w, w) + block(w, 2 * w) + block(2 * w, 4 * w) + 4 * w * classes + classes;
  };
  for (const int width : {1, 16, 24})
    EXPECT_EQ(parameter_count(make({.num_layers = 8, .width = width, .num_classes = 5})), expected(width, 5));
}

TEST(ResNet, NamesAreUniqueAndOnlyWeightsOfLayersDecay) {
  const ResNet network = make({.num_layers = 20});
  std::set<std::string> names;
  for (const Entry& parameter : parameters(network)) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_EQ(decays(parameter), parameter.tensor.dim() > 1) << parameter.name;
    EXPECT_TRUE(parameter.tensor.requires_grad());
  }
}

TEST(ResNet, TakesAnyPictureSize) {
  const at::NoGradGuard no_grad;
  const ResNet network = make({.num_layers = 8, .width = 4, .num_classes = 7});
  for (const auto& [height, width] : {std::pair{8, 8}, {33, 17}, {64, 96}}) {
    const at::Tensor logits = network.forward(pictures(2, height, width), true);
    EXPECT_EQ(logits.sizes(), (at::IntArrayRef{2, 7}));
    EXPECT_TRUE(logits.isfinite().all().item<bool>());
  }
}

TEST(ResNet, BeginsWithTheVarianceOfItsSource) {
  const ResNet network = make({.num_layers = 20, .width = 64});
  for (const Entry& parameter : parameters(network)) {
    if (parameter.tensor.dim() != 4 || parameter.tensor.numel() < 10'000) continue;
    const double fan_out =
        static_cast<double>(parameter.tensor.size(0) * parameter.tensor.size(2) * parameter.tensor.size(3));
    EXPECT_NEAR(parameter.tensor.std().item<double>(), std::sqrt(2 / fan_out), 0.05 * std::sqrt(2 / fan_out));
  }
}

TEST(ResNet, TheSeedDecidesTheWeights) {
  const ResNet one = make({.num_layers = 8}, 1);
  const ResNet again = make({.num_layers = 8}, 1);
  const ResNet other = make({.num_layers = 8}, 2);
  EXPECT_TRUE(at::equal(one.entries()[0].tensor, again.entries()[0].tensor));
  EXPECT_FALSE(at::equal(one.entries()[0].tensor, other.entries()[0].tensor));
}

TEST(ResNet, TrainingMovesTheRunningStatisticsAndEvaluationDoesNot) {
  const at::NoGradGuard no_grad;
  const ResNet network = make({.num_layers = 8, .width = 4});
  const at::Tensor input = pictures(4, 16, 16).mul(3).add(1);
  const at::Tensor before = network.forward(input, false);
  EXPECT_TRUE(at::equal(before, network.forward(input, false)));
  for (int i = 0; i < 100; ++i) network.forward(input, true);
  const at::Tensor after = network.forward(input, false);
  EXPECT_FALSE(at::allclose(before, after));
  // The running statistics have come to those of this batch, up to the variance's n / (n - 1).
  EXPECT_TRUE(at::allclose(after, network.forward(input, true), 0.05, 0.05));
}

TEST(ResNet, EveryParameterGetsAGradientBehindAFirstStep) {
  const ResNet network = make({.num_layers = 20, .width = 4});
  // The last norm of a block begins at 0, which holds back the gradients inside the block: move it off.
  {
    const at::NoGradGuard no_grad;
    for (const Entry& parameter : parameters(network))
      if (parameter.name.ends_with("bn2.weight")) at::Tensor(parameter.tensor).fill_(0.5);
  }
  network.forward(pictures(4, 16, 16), true).square().sum().backward();
  for (const Entry& parameter : parameters(network)) {
    ASSERT_TRUE(parameter.tensor.grad().defined()) << parameter.name;
    EXPECT_GT(parameter.tensor.grad().abs().sum().item<double>(), 0) << parameter.name;
  }
}

}  // namespace
}  // namespace stoker::training
