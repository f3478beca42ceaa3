// The shape of a GPU's utilisation: how long one turn of busy and idle takes, and how much of it is busy.
#pragma once

#include <optional>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::doctor {

struct Waveform {
  Reading<double> period_s;
  Reading<double> duty_share;      // 0..1, of a period
  std::optional<int> slow_one_in;  // of N turns in a period one is long: in-order delivery by N workers
  double strength = 0;             // 0..1: of the autocorrelation at the period
};

// By autocorrelation of the samples on an even grid, the last 4096 of them. A period under twice the time
// between samples is unknown. `interval_s`: how often the driver renews its value, where it says so.
Waveform waveform_of(const std::vector<GpuSample>& samples, const Reading<double>& interval_s);

}  // namespace stoker::doctor
