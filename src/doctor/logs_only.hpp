// What GPU curves alone can say, where no training was watched.
#pragma once

#include "doctor/gpu_causes.hpp"
#include "doctor/rules.hpp"

namespace stoker::doctor {

// healthy, data_bound (the cause is not visible), gpu_bound where clocks are capped; cpu_bound where the log
// has the machine's CPUs too; unknown where it is too short. Over the whole trace.
Finding decide_by_curves(const Trace& trace, const std::vector<GpuCurve>& curves, const GpuCauses& causes);

}  // namespace stoker::doctor
