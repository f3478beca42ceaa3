// The stretches of work that `bench load` is made of.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "stoker/loader.hpp"
#include "stoker/record.hpp"

namespace stoker::bench {

// One stretch of a loader whose consumer does nothing.
struct LoadSlice {
  std::uint64_t images = 0;
  std::uint64_t batches = 0;
  double wall_s = 0;
  double cpu_s = 0;   // of the process
  double busy_s = 0;  // of the stages read, decode and transform, by the loader's counters
  double peak_rss_mib = 0;
  int threads = 0;  // decode workers at its end
  std::uint64_t bad_samples = 0;
  DecodeCounts decoded;  // the warm-up included
};

// Warms a new loader up, then takes batches for `seconds`. Where an epoch is shorter than that, it begins and
// ends with an epoch, so that the mixture of images is the same in every stretch.
LoadSlice run_load_slice(const std::shared_ptr<const RecordReader>& records, const LoaderOptions& options,
                         double seconds, const std::atomic<bool>* cancel);

// Resident memory over whole epochs.
struct EpochMemory {
  std::vector<double> median_mib;  // over the batches of each
  std::vector<double> peak_mib;
  std::vector<std::uint64_t> images;  // read in each
};
// `count` epochs behind one that warms up, however long they last: memory that grows with what is read shows
// only once all of it was. `progress` is told the epoch that begins, 0 for the warm-up.
EpochMemory run_memory_epochs(const std::shared_ptr<const RecordReader>& records,
                              const LoaderOptions& options, int count,
                              const std::function<void(int)>& progress, const std::atomic<bool>* cancel);

}  // namespace stoker::bench
