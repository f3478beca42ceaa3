// The stretch of a trace that rates are taken from: what came before the training ran evenly is left out.
#pragma once

#include <cstddef>
#include <vector>

#include "stoker/watch.hpp"

#include "doctor/gpu_curve.hpp"

namespace stoker::doctor {

// Snapshots first..last of a trace; rates need first < last.
struct Window {
  std::size_t first = 0, last = 0;
  double from_s = 0, to_s = 0;
  bool warm_up_left_out = false;
  bool ended = false;  // the training did, before the trace
  double seconds() const { return to_s - from_s; }
};

// Where processes were watched: while they lived, from the workers' start, and without a first third that
// differs from the last one while the second does not. Source: the cold-cache test of gpuprof.
Window choose_window(const Trace& trace, const std::vector<const GpuCurve*>& curves);

// Its last third: what is so now.
Window last_third(const Trace& trace, const Window& window);

}  // namespace stoker::doctor
