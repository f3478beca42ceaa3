// The residual networks: the small-image ones of 6n + 2 layers, and those of ImageNet.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <vector>

#include "train/learner.hpp"

namespace stoker::training {

enum class Role {
  weight,     // learned, and decays: of convolutions and of the linear layer
  plain,      // learned, and does not decay: norms and biases
  statistic,  // a norm's running mean or variance
  count,      // batches that a norm has seen, int64
};

// One tensor of a network, under the name that torchvision gives it.
struct Entry {
  std::string name;
  at::Tensor tensor;
  Role role = Role::weight;

  bool learned() const { return role == Role::weight || role == Role::plain; }
};

// Source: He et al., "Deep residual learning for image recognition", 2015. Small images (8, 20, 32, 56
// layers): section 4.2, a 3×3 convolution and three stages of width, 2·width and 4·width channels; the
// shortcuts that change shape are projections (option B). ImageNet (18, 34, 50, 101, 152): section 4.1 as
// torchvision has it, "v1.5", where a bottleneck's 3×3 convolution has the stride. Names, order and shapes
// are torchvision's.
class ResNet {
 public:
  // Weights: normal of variance 2 / fan-out (He et al. 2015), drawn in order from `generator`; the last norm
  // of each block begins at 0, so that every block begins as its shortcut. `generator` is one of the CPU, so
  // that the first weights are the same on every device. Errors: invalid_argument (no such number of layers,
  // a width that it cannot have).
  ResNet(const NetworkSpec& spec, at::Generator generator, at::Device device = at::kCPU);

  // Shape: images N × 3 × H × W (channels last in memory) → logits N × classes.
  // Training: batch statistics, which also move the running ones; else the running ones.
  at::Tensor forward(const at::Tensor& images, bool training) const;

  // In the order of torchvision's state_dict.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  // A convolution and the norm behind it.
  struct Unit {
    at::Tensor conv;
    int stride = 1;
    at::Tensor weight, bias, running_mean, running_var, batches;
    at::Tensor forward(const at::Tensor& all, bool training) const;
  };
  struct Block {
    std::vector<Unit> units;
    std::vector<Unit> shortcut;  // none where the shape stays, else one
  };
  struct UnitShape {
    int in = 0;
    int out = 0;
    int side = 1;
    int stride = 1;
    double norm_weight = 1.0;
  };
  Unit make_unit(const std::string& conv_name, const std::string& norm_name, const UnitShape& shape,
                 at::Generator& generator);
  at::Tensor add(const std::string& name, at::Tensor tensor, Role role);

  at::Device device_;
  std::vector<Entry> entries_;
  Unit stem_;
  bool stem_pools_ = false;
  std::vector<Block> blocks_;
  at::Tensor linear_weight_, linear_bias_;
};

}  // namespace stoker::training
