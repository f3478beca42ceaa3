// Stochastic gradient descent with momentum and weight decay.
#pragma once

#include <ATen/core/Tensor.h>
#include <vector>

#include "train/torch/network.hpp"

namespace stoker::training {

// velocity = mom · velocity + gradient + wd · weight; weight -= lr · velocity. Decay where Parameter::decays
// alone. Source: the same update as PyTorch's SGD (Sutskever et al. 2013 scale the velocity by lr instead).
class Sgd {
 public:
  Sgd(std::vector<Parameter> parameters, double mom, double wd);

  // Uses and then drops the gradients.
  void step(double lr);

 private:
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> velocities_;
  double mom_;
  double wd_;
};

}  // namespace stoker::training
