// A running mean of a network's weights.
#pragma once

#include <cstdint>
#include <vector>

#include "train/torch/network.hpp"

namespace stoker::training {

// mean = decay · mean + (1 - decay) · weight; the first update copies. Running statistics are averaged like
// weights; counts are copied. Source: torch.optim.swa_utils.AveragedModel with get_ema_multi_avg_fn and
// use_buffers=True, which torchvision's reference training uses.
class Ema {
 public:
  // On the device of `entries`.
  Ema(const NetworkSpec& spec, const std::vector<Entry>& entries, double decay);

  void update(const std::vector<Entry>& entries);
  // Begins anew: the next update copies.
  void reset(const std::vector<Entry>& entries);

  const ResNet& network() const { return network_; }
  std::int64_t updates() const { return updates_; }
  void set_updates(std::int64_t updates) { updates_ = updates; }

 private:
  ResNet network_;
  double decay_;
  std::int64_t updates_ = 0;
};

}  // namespace stoker::training
