// Where the shards of a pack begin and end: by the sizes of the source's samples, before any is packed.
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/record.hpp"

#include "pack/destination.hpp"
#include "pack/shard_plan.hpp"

namespace stoker::packing {

// The cuts of a ShardPlan. With shard_bytes each sample counts as what a few probed ones say it will take.
// Errors: as probe_samples.
std::vector<std::uint64_t> cut(const PackOptions& options, const Destination& to, const RecordReader& source);

}  // namespace stoker::packing
