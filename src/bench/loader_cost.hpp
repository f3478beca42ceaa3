// What the loader itself costs: its CPU time beside that of a plain loop over the same reads and transforms.
#pragma once

#include <atomic>
#include <cstddef>

#include "bench/load_bench.hpp"

namespace stoker::bench {

// Each of `rounds` gives one value of the spreads, from the medians of `turns` short turns; a turn has a
// slice of the loader at each batch size and one of the plain loop, each of about `slice_s` at most, but of
// 512 images at least. Errors: cancelled, and whatever the Loader throws.
LoaderCost measure_loader_cost(int rounds, int turns, double slice_s, const std::atomic<bool>* cancel);

// Images of a slice that lasts `seconds`, its warm-up included, where one takes `image_s`: whole batches of
// either size, 512..4096.
std::size_t images_of_slice(double seconds, double image_s);

}  // namespace stoker::bench
