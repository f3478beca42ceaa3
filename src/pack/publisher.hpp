// The last step of a pack: from finished shards in the work folder to a set under its final names.
#pragma once

#include <atomic>
#include <memory>

#include "stoker/pack.hpp"

#include "pack/destination.hpp"
#include "pack/work_folder.hpp"

namespace stoker::packing {

// Everything that is made of all shards is durable under temporary names before anything of an older pack is
// touched. Then NAME.dataset.json, which seals the rest, goes first and comes back last. Stopped anywhere, it
// can be done again. The report adds up all shards; with too_many_bad nothing was put in place.
// Errors: io, out_of_resources, corrupt_data (a shard's summary), cancelled (before anything is put in
// place).
PackReport publish(const PackOptions& options, const Destination& to, WorkFolder& work, const WorkPlan& plan,
                   Store& store, const std::atomic<bool>* cancel);

// Refuses to replace a set of another format: it lies under the same name, with the same manifest.
// Errors: invalid_argument.
void check_old_set(const Destination& to, Store& store);

// Of the set that lies under its final names, as its manifest tells it. None: there is none.
std::optional<PackReport> published_report(const Destination& to, Store& store);

}  // namespace stoker::packing
