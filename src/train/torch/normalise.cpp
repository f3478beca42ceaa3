#include "train/torch/normalise.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <algorithm>
#include <array>

namespace stoker::training {

namespace {

// One number of each channel, against N × 3 × H × W.
at::Tensor channels(const std::array<float, 3>& numbers, at::Device device) {
  const at::Tensor tensor = at::empty({1, 3, 1, 1}, at::kFloat);
  std::copy(numbers.begin(), numbers.end(), tensor.mutable_data_ptr<float>());
  return tensor.to(device);
}

}  // namespace

Normaliser::Normaliser(const Normalize& statistics, at::Device device)
    : whole_(channels({255, 255, 255}, device)),
      mean_(channels(statistics.mean, device)),
      std_(channels(statistics.std, device)) {}

at::Tensor Normaliser::operator()(const at::Tensor& bytes) const {
  const at::NoGradGuard no_grad;
  return bytes.to(at::kFloat).div_(whole_).sub_(mean_).div_(std_);
}

}  // namespace stoker::training
