// What the loader itself costs: its CPU time beside that of a plain loop over the same reads and transforms.
#pragma once

#include <atomic>

#include "bench/load_bench.hpp"

namespace stoker::bench {

// Each of `rounds` gives one value of the spreads, the mean of `turns` short turns.
// Errors: as run_load_bench.
LoaderCost measure_loader_cost(int rounds, int turns, const std::atomic<bool>* cancel);

}  // namespace stoker::bench
