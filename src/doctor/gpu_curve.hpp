// A GPU's utilisation over time, out of all snapshots, and which GPUs the training uses.
#pragma once

#include <string>
#include <vector>

#include "stoker/doctor.hpp"

namespace stoker::doctor {

struct GpuCurve {
  int index = 0;
  std::string name, uuid;
  std::vector<GpuSample> samples;    // in order of time, 0..100
  std::vector<const GpuSeen*> seen;  // in the snapshots that show it; owned by the trace
  bool ours = false;                 // its driver lists a process of the watched training
  bool idle_by_clocks = false;  // no utilisation, but the driver says that clocks are down for want of work
  std::optional<int> slow_one_in;  // of its waveform
  bool listed = false;             // its driver lists processes
  GpuSummary summary;

  // Any kernel worth the name ran in the time.
  bool used() const;
  // Absent where no sample lies within.
  std::optional<double> mean(double from_s, double to_s) const;
};

// The mean share, 0..1, that GPUs are busy from one time to another; absent where none has a sample there.
std::optional<double> busy_share(const std::vector<const GpuCurve*>& curves, double from_s, double to_s);

// One curve a GPU, MIG instances only where their GPU itself has no curve.
std::vector<GpuCurve> gpu_curves(const Trace& trace);

// The curves that the training is judged by: those its processes hold, else all that are used, else all.
std::vector<const GpuCurve*> training_curves(const std::vector<GpuCurve>& curves);

}  // namespace stoker::doctor
