// The stretches of work that `bench load` is made of.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
};

// Warms a new loader up, then takes batches for `seconds`. Where an epoch is shorter than that, it begins and
// ends with an epoch, so that the mixture of images is the same in every stretch.
LoadSlice run_load_slice(const std::shared_ptr<const RecordReader>& records, const LoaderOptions& options,
                         double seconds, const std::atomic<bool>* cancel);

// Resident memory over `count` stretches of an epoch, or of `seconds` where that is shorter.
struct MemoryStretches {
  std::vector<double> median_mib;  // over the batches of each
  std::vector<double> peak_mib;
};
MemoryStretches run_memory_stretches(const std::shared_ptr<const RecordReader>& records,
                                     const LoaderOptions& options, int count, double seconds,
                                     const std::atomic<bool>* cancel);

}  // namespace stoker::bench
