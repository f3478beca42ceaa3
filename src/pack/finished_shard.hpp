// Shards that an earlier pack finished, before they are taken over.
#pragma once

#include <cstddef>
#include <optional>

#include "stoker/store.hpp"

#include "pack/destination.hpp"
#include "pack/shard_summary.hpp"
#include "pack/work_folder.hpp"

namespace stoker::packing {

// The summary of shard `shard`, if it was finished and is whole: all of its files wait in the work folder, or
// stand in their places where a publishing was cut off, and the container has the size and the CRC-32C that
// it was finished with. None: it is to be made (again). Cost: one read of the container. Errors (thrown): io,
// unavailable.
std::optional<ShardSummary> finished_shard(const WorkFolder& work, const WorkPlan& plan,
                                           const Destination& to, Store& store, std::size_t shard);

}  // namespace stoker::packing
