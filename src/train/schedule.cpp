#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stoker::training {

Schedule::Schedule(double lr, std::uint64_t warmup_steps, std::uint64_t total_steps)
    : lr_(lr), warmup_steps_(std::min(warmup_steps, total_steps / 4)), total_steps_(total_steps) {}

double Schedule::lr(std::uint64_t step) const {
  if (step < warmup_steps_) return lr_ * static_cast<double>(step + 1) / static_cast<double>(warmup_steps_);
  if (step >= total_steps_) return 0;
  const double done =
      static_cast<double>(step - warmup_steps_) / static_cast<double>(total_steps_ - warmup_steps_);
  return lr_ * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace stoker::training
