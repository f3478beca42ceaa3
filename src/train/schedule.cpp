#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace stoker::training {

Schedule::Schedule(ScheduleSpec spec) : spec_(std::move(spec)) {
  spec_.warmup_steps = std::min(spec_.warmup_steps, spec_.total_steps / 4);
}

double Schedule::lr(std::uint64_t step) const {
  if (step < spec_.warmup_steps)
    return spec_.lr * static_cast<double>(step + 1) / static_cast<double>(spec_.warmup_steps);
  if (step >= spec_.total_steps) return 0;
  const double done = static_cast<double>(step - spec_.warmup_steps) /
                      static_cast<double>(spec_.total_steps - spec_.warmup_steps);
  switch (spec_.kind) {
    case LrSchedule::step: {
      const auto drops = std::ranges::upper_bound(spec_.drops, step) - spec_.drops.begin();
      return spec_.lr * std::pow(spec_.factor, static_cast<double>(drops));
    }
    case LrSchedule::poly:
      return spec_.lr * (1 - done) * (1 - done);
    case LrSchedule::cosine:
      break;
  }
  return spec_.lr * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace stoker::training
