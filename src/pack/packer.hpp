// The run of a pack: source → workers → shard, in order.
#pragma once

#include <atomic>
#include <memory>

#include "stoker/pack.hpp"
#include "stoker/store.hpp"

namespace stoker::packing {

// As stoker::pack; `destination_store` serves the files that are written (none: the one of the destination's
// URL).
PackReport run_pack(const PackOptions& options, std::shared_ptr<Store> destination_store,
                    const PackProgressCallback& progress, const std::atomic<bool>* cancel);

}  // namespace stoker::packing
