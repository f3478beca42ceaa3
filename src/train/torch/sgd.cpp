#include "train/torch/sgd.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <utility>

namespace stoker::training {

namespace {

// Whether their elements lie in the same order; both are dense.
bool same_layout(const at::Tensor& one, const at::Tensor& other) {
  for (std::int64_t i = 0; i < one.dim(); ++i)
    if (one.size(i) > 1 && one.stride(i) != other.stride(i)) return false;
  return true;
}

}  // namespace

Sgd::Sgd(const std::vector<Entry>& entries, const SgdSettings& settings) : settings_(settings) {
  groups_[0].wd = settings.wd;
  for (const Entry& entry : entries) {
    if (!entry.learned()) continue;
    Group& group = groups_[entry.role == Role::weight ? 0 : 1];
    group.weights.push_back(entry.tensor);
    group.velocities.push_back(at::zeros_like(entry.tensor.detach()));
    velocities_.push_back({entry.name, group.velocities.back(), entry.role});
  }
}

bool Sgd::step(double lr) {
  const at::NoGradGuard no_grad;
  bool moved = false;
  for (Group& group : groups_) {
    std::vector<at::Tensor> weights, gradients, velocities;
    for (std::size_t i = 0; i < group.weights.size(); ++i) {
      at::Tensor& weight = group.weights[i];
      at::Tensor gradient = std::exchange(weight.mutable_grad(), {});
      if (!gradient.defined()) continue;
      // The fused update walks the three memories side by side.
      if (!same_layout(gradient, weight)) gradient = at::empty_like(weight).copy_(gradient);
      weights.push_back(weight);
      gradients.push_back(std::move(gradient));
      velocities.push_back(group.velocities[i]);
    }
    if (weights.empty()) continue;
    if (settings_.mom == 0) velocities.clear();  // the fused update takes none then
    at::_fused_sgd_(weights, gradients, velocities, group.wd, settings_.mom, lr, /*dampening=*/0.0,
                    settings_.nesterov, /*maximize=*/false, /*is_first_step=*/false);
    moved = true;
  }
  return moved;
}

void Sgd::drop_gradients() {
  for (Group& group : groups_)
    for (at::Tensor& weight : group.weights) weight.mutable_grad().reset();
}

}  // namespace stoker::training
