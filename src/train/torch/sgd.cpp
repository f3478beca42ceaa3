#include "train/torch/sgd.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>
#include <cstddef>
#include <utility>

namespace stoker::training {

Sgd::Sgd(std::vector<Parameter> parameters, double mom, double wd)
    : parameters_(std::move(parameters)), mom_(mom), wd_(wd) {
  velocities_.reserve(parameters_.size());
  for (const Parameter& parameter : parameters_)
    velocities_.push_back(at::zeros_like(parameter.tensor.detach()));
}

void Sgd::step(double lr) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& weight = parameters_[i].tensor;
    at::Tensor& gradient = weight.mutable_grad();
    if (!gradient.defined()) continue;
    velocities_[i].mul_(mom_).add_(gradient);
    if (parameters_[i].decays && wd_ != 0) velocities_[i].add_(weight, wd_);
    weight.add_(velocities_[i], -lr);
    gradient.reset();
  }
}

}  // namespace stoker::training
