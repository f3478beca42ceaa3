// The learning rate of each step: linear warm-up, then a half cosine down to 0.
#pragma once

#include <cstdint>

namespace stoker::training {

// Source: Loshchilov, Hutter, "SGDR", 2017 (without restarts); Goyal et al. 2017 (gradual warm-up).
class Schedule {
 public:
  // A warm-up that would take more than a quarter of the training is shortened to a quarter.
  Schedule(double lr, std::uint64_t warmup_steps, std::uint64_t total_steps);

  // Step k of the warm-up (from 0) has lr · (k + 1) / warmup_steps(). Steps beyond the end have 0.
  double lr(std::uint64_t step) const;
  std::uint64_t warmup_steps() const { return warmup_steps_; }

 private:
  double lr_;
  std::uint64_t warmup_steps_;
  std::uint64_t total_steps_;
};

}  // namespace stoker::training
