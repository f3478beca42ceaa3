// What the GPUs alone show: who leaves them unused, and what holds back busy ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/gpu_curve.hpp"
#include "doctor/measures.hpp"

namespace stoker::doctor {

struct GpuCauses {
  std::vector<std::string> causes;
  std::vector<Fix> fixes;
  std::vector<NotSeen> contradictions;
  bool power_capped = false;
};

struct UnusedGpus {
  std::vector<int> indexes;
  std::size_t of = 0;   // so many GPUs
  bool shared = false;  // others work on this machine's GPUs: theirs may be the unused ones
  double share = 0;     // 0..1 of all GPUs
  std::string why;      // a clause: "no process is on them"
  std::vector<std::string> causes;
  std::vector<Fix> fixes;
};

// GPUs on which nothing runs; none where a training that is alive waits for its data all the time.
std::optional<UnusedGpus> find_unused(const Trace& trace, const std::vector<GpuCurve>& curves,
                                      const Measures& m);

// Small kernels, capped or slowed clocks, a fallen PCIe link, ranks that wait for one, sources that
// contradict each other. Of the snapshots in which the GPU was busy.
GpuCauses causes_of_busy(const std::vector<const GpuCurve*>& curves);

// What to do where the GPU is the limit, whatever holds it back.
std::vector<Fix> fixes_for_busy(const GpuCauses& causes);

}  // namespace stoker::doctor
