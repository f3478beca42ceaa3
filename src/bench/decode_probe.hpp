// What decoding the images of a data set costs one thread: as they are, smaller, and by Stoker.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::bench {

struct DecodeProbeOptions {
  std::size_t images = 64;
  std::chrono::milliseconds limit{1500};
};

// Sets the decoding times of `seen` from the JPEGs among `files`, the last first; leaves them where there is
// none. Each is a mean over images and three passes, which take turns: the training's
// own time is a mean too.
// Units: ms of the thread's CPU time. Errors: cancelled.
void probe_decoding(const std::vector<std::string>& files, const DecodeProbeOptions& options,
                    const std::atomic<bool>* cancel, ProbeSeen& seen);

}  // namespace stoker::bench
