// What the loader itself costs: its CPU time beside that of a plain loop over the same reads and transforms.
#pragma once

#include <atomic>

#include "bench/load_bench.hpp"

namespace stoker::bench {

// Errors: as run_load_bench.
LoaderCost measure_loader_cost(int rounds, const std::atomic<bool>* cancel);

}  // namespace stoker::bench
