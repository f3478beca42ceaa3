// The run of a pack over the shards that are to be made: source → workers → shards, in order.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "stoker/pack.hpp"

#include "pack/destination.hpp"
#include "pack/work_folder.hpp"

namespace stoker::packing {

// Where the making of shards stands.
struct MakerResult {
  double sync_s = 0;      // wall time spent making files durable
  double sync_cpu_s = 0;  // CPU time of it
};

// Makes `shards` of the plan, in rising order, into the work folder. Those before the one that fails or is
// cancelled are finished then. Progress counts the samples of these shards alone, on top of `before`.
// Errors: as stoker::pack.
MakerResult make_shards(const PackOptions& options, const Destination& to, const WorkFolder& work,
                        const WorkPlan& plan, const RecordReader& source,
                        const std::vector<std::size_t>& shards, std::shared_ptr<Store> store,
                        PackProgress before, const PackProgressCallback& progress,
                        const std::atomic<bool>* cancel);

}  // namespace stoker::packing
