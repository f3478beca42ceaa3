// What GPU curves alone can say, where no training was watched.
#pragma once

#include "doctor/gpu_causes.hpp"
#include "doctor/rules.hpp"

namespace stoker::doctor {

// healthy, data_bound (the cause is not visible), gpu_bound where clocks are capped; cpu_bound where the log
// has the machine's CPUs too; unknown where it is too short. Over the whole trace.
Finding decide_by_curves(const Trace& trace, const std::vector<GpuCurve>& curves, const GpuCauses& causes);

// Whether all that is told as percent must be shares: every sample within 0..1, and most of them broken. Then
// nothing is known of how busy a GPU was, and "unused" would be wrong.
bool look_like_shares(const std::vector<GpuCurve>& curves);

}  // namespace stoker::doctor
