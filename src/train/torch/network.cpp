#include "train/torch/network.hpp"

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/normal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <array>
#include <cmath>
#include <utility>

namespace stoker::training {

namespace {

constexpr double kNormMomentum = 0.1;
constexpr double kNormEpsilon = 1e-5;

at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, int stride) {
  const std::int64_t padding = weight.size(2) / 2;
  const std::array<std::int64_t, 2> strides{stride, stride};
  const std::array<std::int64_t, 2> paddings{padding, padding};
  return at::conv2d(input, weight, /*bias=*/{}, strides, paddings);
}

}  // namespace

at::Tensor ResNet::learn(const std::string& name, at::Tensor tensor, bool decays) {
  tensor.requires_grad_(true);
  parameters_.push_back({name, tensor, decays});
  return tensor;
}

at::Tensor ResNet::make_conv(const std::string& name, int out, int in, int side, at::Generator& generator) {
  at::Tensor weight = at::empty({out, in, side, side});
  weight.normal_(0.0, std::sqrt(2.0 / (static_cast<double>(out) * side * side)), generator);
  return learn(name + ".weight", weight.contiguous(at::MemoryFormat::ChannelsLast), true);
}

ResNet::Norm ResNet::make_norm(const std::string& name, int channels, double weight) {
  Norm norm;
  norm.weight = learn(name + ".weight", at::full({channels}, weight, at::kFloat), false);
  norm.bias = learn(name + ".bias", at::zeros({channels}), false);
  norm.running_mean = at::zeros({channels});
  norm.running_var = at::ones({channels});
  return norm;
}

ResNet::ResNet(const ResNetShape& shape, at::Generator generator) {
  first_conv_ = make_conv("conv1", shape.width, 3, 3, generator);
  first_norm_ = make_norm("bn1", shape.width, 1.0);
  const int blocks_per_stage = (shape.num_layers - 2) / 6;
  int in = shape.width;
  for (int stage = 0; stage < 3; ++stage) {
    const int out = shape.width << stage;
    for (int i = 0; i < blocks_per_stage; ++i) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
      Block block;
      block.stride = stage > 0 && i == 0 ? 2 : 1;
      block.conv1 = make_conv(name + ".conv1", out, in, 3, generator);
      block.norm1 = make_norm(name + ".bn1", out, 1.0);
      block.conv2 = make_conv(name + ".conv2", out, out, 3, generator);
      block.norm2 = make_norm(name + ".bn2", out, 0.0);
      if (in != out) {
        block.shortcut = make_conv(name + ".downsample.0", out, in, 1, generator);
        block.shortcut_norm = make_norm(name + ".downsample.1", out, 1.0);
      }
      blocks_.push_back(std::move(block));
      in = out;
    }
  }
  at::Tensor linear = at::empty({shape.num_classes, in});
  linear.normal_(0.0, 0.01, generator);
  linear_weight_ = learn("fc.weight", linear, true);
  linear_bias_ = learn("fc.bias", at::zeros({shape.num_classes}), false);
}

at::Tensor ResNet::forward(const at::Tensor& images, bool training) const {
  const auto normalise = [training](const at::Tensor& input, const Norm& norm) {
    return at::batch_norm(input, norm.weight, norm.bias, norm.running_mean, norm.running_var, training,
                          kNormMomentum, kNormEpsilon, /*cudnn_enabled=*/true);
  };
  at::Tensor x = normalise(convolve(images, first_conv_, 1), first_norm_).relu_();
  for (const Block& block : blocks_) {
    at::Tensor y = normalise(convolve(x, block.conv1, block.stride), block.norm1).relu_();
    y = normalise(convolve(y, block.conv2, 1), block.norm2);
    const at::Tensor shortcut =
        block.shortcut.defined() ? normalise(convolve(x, block.shortcut, block.stride), block.shortcut_norm)
                                 : x;
    x = y.add_(shortcut).relu_();
  }
  const std::array<std::int64_t, 2> picture{2, 3};
  return at::linear(x.mean(picture), linear_weight_, linear_bias_);
}

}  // namespace stoker::training
