// What `doctor --probe` measures beside a running training: what its storage gives to one reader and to
// several, and what decoding its images costs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::bench {

struct ProbeOptions {
  std::vector<int> readers = {1, 4};              // one stretch of reading each
  std::chrono::milliseconds reading{1500};        // of each stretch
  std::chrono::milliseconds decoding{1500};       // in all
  std::chrono::milliseconds looking_around{300};  // for files beside the examples
  std::size_t files = 4096;
  std::size_t images = 64;
};

// `examples`: files that the training was met reading. No file is read twice, those in the page cache are
// passed over, and what was read is dropped from it again: what comes from memory is not storage. `storage`
// is empty where all files are in the cache, decoding times where none is a JPEG. A file that cannot be read
// or decoded is passed over.
// Threads: starts its readers, and joins them before it returns.
// Cost: about 5 s, some 300 MiB; the training feels it: it shares storage and CPUs.
// Errors: cancelled.
ProbeSeen probe_training(const std::vector<std::string>& examples, const ProbeOptions& options = {},
                         const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker::bench
