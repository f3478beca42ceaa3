// The learning rate of each step: a linear warm-up, then one of three ways down.
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/train.hpp"

namespace stoker::training {

struct ScheduleSpec {
  LrSchedule kind = LrSchedule::cosine;
  double lr = 0.1;
  std::uint64_t warmup_steps = 0;
  std::uint64_t total_steps = 0;
  std::vector<std::uint64_t> drops;  // of `step`: the steps at which the rate is multiplied, ascending
  double factor = 0.1;               // of `step`
};

// Sources: Loshchilov, Hutter, "SGDR", 2017 (the cosine, without restarts); Goyal et al. 2017 (gradual
// warm-up; drops); You et al. 2017 (polynomial of power 2).
class Schedule {
 public:
  // A warm-up that would take more than a quarter of the training is shortened to a quarter.
  explicit Schedule(ScheduleSpec spec);

  // Step k of the warm-up (from 0) has lr · (k + 1) / warmup_steps(). Steps beyond the end have 0.
  double lr(std::uint64_t step) const;
  std::uint64_t warmup_steps() const { return spec_.warmup_steps; }

 private:
  ScheduleSpec spec_;
};

}  // namespace stoker::training
