#include "train/torch/network.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/normal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/slice.h>
#include <ATen/ops/zeros.h>
#include <array>
#include <cmath>
#include <utility>

#include "stoker/error.hpp"

namespace stoker::training {

namespace {

constexpr double kNormMomentum = 0.1;
constexpr double kNormEpsilon = 1e-5;
constexpr int kImageNetWidth = 64;
constexpr std::int64_t kRegisterChannels = 16;  // of AVX-512

// All that tells one network from another.
struct Description {
  std::vector<int> blocks;  // of each stage
  int expansion = 1;        // 4: bottlenecks, whose last convolution has so many times more channels
  bool imagenet_stem = false;
};

Description describe(const NetworkSpec& spec) {
  switch (spec.num_layers) {
    case 18:
      return {{2, 2, 2, 2}, 1, true};
    case 34:
      return {{3, 4, 6, 3}, 1, true};
    case 50:
      return {{3, 4, 6, 3}, 4, true};
    case 101:
      return {{3, 4, 23, 3}, 4, true};
    case 152:
      return {{3, 8, 36, 3}, 4, true};
    default:
      break;
  }
  if (spec.num_layers < 8 || (spec.num_layers - 2) % 6 != 0)
    throw Error(ErrorCode::invalid_argument, {.operation = "make network",
                                              .object = "num_layers",
                                              .found = std::to_string(spec.num_layers),
                                              .allowed = "8, 20, 32, 56, or 18, 34, 50, 101, 152"});
  const int blocks = (spec.num_layers - 2) / 6;
  return {{blocks, blocks, blocks}, 1, false};
}

}  // namespace

at::Tensor ResNet::Unit::forward(const at::Tensor& all, bool training) const {
  const std::int64_t padding = conv.size(2) / 2;
  at::Tensor input = all;
  std::int64_t step = stride;
  // oneDNN's gradient of strided 1×1 kernels writes beyond its memory where there are fewer channels than a
  // register holds; what the kernel steps over is left out before it instead.
  // Source: https://github.com/uxlfoundation/oneDNN/issues/6035
  if (step > 1 && conv.size(2) == 1 && conv.size(1) < kRegisterChannels) {
    input = at::slice(at::slice(all, 2, 0, std::nullopt, step), 3, 0, std::nullopt, step)
                .contiguous(at::MemoryFormat::ChannelsLast);
    step = 1;
  }
  const std::array<std::int64_t, 2> strides{step, step};
  const std::array<std::int64_t, 2> paddings{padding, padding};
  if (training) at::Tensor(batches).add_(1);
  return at::batch_norm(at::conv2d(input, conv, /*bias=*/{}, strides, paddings), weight, bias, running_mean,
                        running_var, training, kNormMomentum, kNormEpsilon, /*cudnn_enabled=*/true);
}

at::Tensor ResNet::add(const std::string& name, at::Tensor tensor, Role role) {
  tensor = tensor.to(device_);  // its strides stay
  entries_.push_back({name, tensor, role});
  tensor.requires_grad_(entries_.back().learned());
  return tensor;
}

ResNet::Unit ResNet::make_unit(const std::string& conv_name, const std::string& norm_name,
                               const UnitShape& shape, at::Generator& generator) {
  Unit unit;
  unit.stride = shape.stride;
  at::Tensor conv = at::empty({shape.out, shape.in, shape.side, shape.side});
  conv.normal_(0.0, std::sqrt(2.0 / (static_cast<double>(shape.out) * shape.side * shape.side)), generator);
  // A copy, because contiguous() leaves the strides of 1×1 kernels, and oneDNN goes by them.
  const at::Tensor channels_last = at::empty(conv.sizes(), conv.options(), at::MemoryFormat::ChannelsLast);
  unit.conv = add(conv_name + ".weight", channels_last.copy_(conv), Role::weight);
  unit.weight = add(norm_name + ".weight", at::full({shape.out}, shape.norm_weight, at::kFloat), Role::plain);
  unit.bias = add(norm_name + ".bias", at::zeros({shape.out}), Role::plain);
  unit.running_mean = add(norm_name + ".running_mean", at::zeros({shape.out}), Role::statistic);
  unit.running_var = add(norm_name + ".running_var", at::ones({shape.out}), Role::statistic);
  unit.batches = add(norm_name + ".num_batches_tracked", at::zeros({}, at::kLong), Role::count);
  return unit;
}

ResNet::ResNet(const NetworkSpec& spec, at::Generator generator, at::Device device) : device_(device) {
  const Description description = describe(spec);
  if (description.imagenet_stem && spec.width != kImageNetWidth)
    throw Error(ErrorCode::invalid_argument, {.operation = "make network",
                                              .object = "width",
                                              .found = std::to_string(spec.width),
                                              .allowed = "64 for the ResNets of ImageNet"});
  stem_pools_ = description.imagenet_stem;
  stem_ = make_unit("conv1", "bn1",
                    {.in = 3,
                     .out = spec.width,
                     .side = description.imagenet_stem ? 7 : 3,
                     .stride = description.imagenet_stem ? 2 : 1},
                    generator);
  int in = spec.width;
  for (std::size_t stage = 0; stage < description.blocks.size(); ++stage) {
    const int inner = spec.width << stage;
    const int out = inner * description.expansion;
    for (int i = 0; i < description.blocks[stage]; ++i) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i) + ".";
      const int stride = stage > 0 && i == 0 ? 2 : 1;
      const std::vector<UnitShape> shapes =
          description.expansion == 1
              ? std::vector<UnitShape>{{in, out, 3, stride}, {out, out, 3, 1, 0.0}}
              : std::vector<UnitShape>{{in, inner, 1}, {inner, inner, 3, stride}, {inner, out, 1, 1, 0.0}};
      Block block;
      for (const UnitShape& shape : shapes) {
        const std::string number = std::to_string(block.units.size() + 1);
        block.units.push_back(make_unit(name + "conv" + number, name + "bn" + number, shape, generator));
      }
      if (in != out)
        block.shortcut.push_back(
            make_unit(name + "downsample.0", name + "downsample.1", {in, out, 1, stride}, generator));
      blocks_.push_back(std::move(block));
      in = out;
    }
  }
  at::Tensor linear = at::empty({spec.num_classes, in});
  linear.normal_(0.0, 0.01, generator);
  linear_weight_ = add("fc.weight", linear, Role::weight);
  linear_bias_ = add("fc.bias", at::zeros({spec.num_classes}), Role::plain);
}

at::Tensor ResNet::forward(const at::Tensor& images, bool training) const {
  at::Tensor x = stem_.forward(images, training).relu_();
  if (stem_pools_) {
    const std::array<std::int64_t, 2> side{3, 3};
    const std::array<std::int64_t, 2> stride{2, 2};
    const std::array<std::int64_t, 2> padding{1, 1};
    x = at::max_pool2d(x, side, stride, padding);
  }
  for (const Block& block : blocks_) {
    at::Tensor y = x;
    for (std::size_t i = 0; i < block.units.size(); ++i) {
      y = block.units[i].forward(y, training);
      if (i + 1 < block.units.size()) y = y.relu_();
    }
    for (const Unit& unit : block.shortcut) x = unit.forward(x, training);
    x = y.add_(x).relu_();
  }
  const std::array<std::int64_t, 2> picture{2, 3};
  return at::linear(x.mean(picture), linear_weight_, linear_bias_);
}

}  // namespace stoker::training
