#include "train/torch/ema.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_lerp.h>
#include <cstddef>

namespace stoker::training {

Ema::Ema(const NetworkSpec& spec, const std::vector<Entry>& entries, double decay)
    : network_(spec, at::make_generator<at::CPUGeneratorImpl>(0), entries.front().tensor.device()),
      decay_(decay) {
  reset(entries);
}

void Ema::reset(const std::vector<Entry>& entries) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < entries.size(); ++i)
    at::Tensor(network_.entries()[i].tensor).copy_(entries[i].tensor);
  updates_ = 0;
}

void Ema::update(const std::vector<Entry>& entries) {
  if (updates_ == 0) {
    reset(entries);
    updates_ = 1;
    return;
  }
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> means, weights;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    at::Tensor mean = network_.entries()[i].tensor;
    if (entries[i].role == Role::count) {
      mean.copy_(entries[i].tensor);
    } else {
      means.push_back(mean);
      weights.push_back(entries[i].tensor);
    }
  }
  at::_foreach_lerp_(means, weights, 1 - decay_);
  ++updates_;
}

}  // namespace stoker::training
