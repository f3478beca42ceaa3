// Whether what was watched is a training at all, or any program that sleeps or computes.
#pragma once

#include <string>
#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/gpu_curve.hpp"
#include "doctor/io.hpp"
#include "doctor/measures.hpp"

namespace stoker::doctor {

struct TrainingSeen {
  enum class Sign {
    none,
    likely,   // it takes in data and works on it, as others do too
    certain,  // a GPU, a loader's processes or threads
  };
  Sign sign = Sign::none;
  std::string instead;  // where there is none: what the process does, a clause
};

// What tells a training from another program: a GPU that it may hold, Stoker's counters, the names and polls
// of a loader's workers; failing those, forks of Python that work, or much data that comes in and is worked
// on. A server that listens, a shell that starts programs and a process that sleeps have none of it.
TrainingSeen look_for_training(const Trace& trace, const Window& window, const std::vector<GpuCurve>& curves,
                               const Measures& m, const IoMeasures& io);

}  // namespace stoker::doctor
