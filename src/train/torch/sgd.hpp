// Stochastic gradient descent with momentum and weight decay.
#pragma once

#include <ATen/core/Tensor.h>
#include <array>
#include <vector>

#include "train/torch/network.hpp"

namespace stoker::training {

struct SgdSettings {
  double mom = 0.9;
  double wd = 0;
  bool nesterov = false;
};

// gradient += wd · weight; velocity = mom · velocity + gradient; weight -= lr · velocity, or with nesterov
// lr · (gradient + mom · velocity). Decay where Role::weight alone. Source: the same update as PyTorch's SGD
// (Sutskever et al. 2013 scale the velocity by lr instead).
class Sgd {
 public:
  // Learns what is learned of `entries`.
  Sgd(const std::vector<Entry>& entries, const SgdSettings& settings);

  // Uses and then drops the gradients; false: there was none, and nothing moved.
  bool step(double lr);
  void drop_gradients();

  // One of each learned entry, in their order, under its name.
  const std::vector<Entry>& velocities() const { return velocities_; }

 private:
  // What one call updates: weights that decay alike.
  struct Group {
    double wd = 0;
    std::vector<at::Tensor> weights, velocities;
  };

  SgdSettings settings_;
  std::array<Group, 2> groups_;
  std::vector<Entry> velocities_;
};

}  // namespace stoker::training
