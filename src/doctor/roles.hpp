// Who is who in a training's process tree.
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::doctor {

// Indexes into Snapshot::processes.
struct Roles {
  std::vector<std::size_t> mains;    // the processes whose first thread runs the training loop
  std::vector<std::size_t> workers;  // child processes that prepare data
};

// The main processes are those that a GPU's driver lists; else the parents of the workers; else the one with
// Stoker's loader; else the watched process, or, below a launcher (a shell, torchrun), the busiest.
Roles roles_of(const Snapshot& snapshot);

// Whether a group of threads of a main process may be a loader's: DALI's, tf.data's, MXNet's, unnamed ones;
// not autograd's, the pinning thread or the CUDA driver's own.
bool may_load(const ThreadsSeen& threads);

}  // namespace stoker::doctor
