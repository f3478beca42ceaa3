// The small-image ResNets of He et al.: 6n + 2 layers in three stages.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <vector>

namespace stoker::training {

// A tensor that is learned. Only weights of convolutions and of the last layer decay.
struct Parameter {
  std::string name;
  at::Tensor tensor;
  bool decays = false;
};

struct ResNetShape {
  int num_layers = 20;
  int width = 16;
  int num_classes = 10;
};

// Source: He et al., "Deep residual learning for image recognition", 2015, section 4.2: a first 3×3
// convolution, then n blocks of two 3×3 convolutions in each of three stages of width, 2·width and 4·width
// channels, strides 1, 2, 2, mean over what is left of the picture, one linear layer. A block that changes
// the shape has the projection shortcut (option B): see forward().
class ResNet {
 public:
  // Weights: normal of variance 2 / fan-out (He et al. 2015), drawn in order from `generator`; the last norm
  // of each block begins at 0, so that every block begins as its shortcut.
  ResNet(const ResNetShape& shape, at::Generator generator);

  // Shape: images N × 3 × H × W (channels last in memory) → logits N × classes.
  // Training: batch statistics, which also move the running ones; else the running ones.
  at::Tensor forward(const at::Tensor& images, bool training) const;

  const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  struct Norm {
    at::Tensor weight, bias, running_mean, running_var;
  };
  struct Block {
    at::Tensor conv1, conv2, shortcut;  // shortcut: undefined where the shape stays
    Norm norm1, norm2, shortcut_norm;
    int stride = 1;
  };
  at::Tensor make_conv(const std::string& name, int out, int in, int side, at::Generator& generator);
  Norm make_norm(const std::string& name, int channels, double weight);
  at::Tensor learn(const std::string& name, at::Tensor tensor, bool decays);

  std::vector<Parameter> parameters_;
  at::Tensor first_conv_;
  Norm first_norm_;
  std::vector<Block> blocks_;
  at::Tensor linear_weight_, linear_bias_;
};

}  // namespace stoker::training
