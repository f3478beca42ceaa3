// `stoker bench pack`: what packing and indexing cost in CPU seconds, against plain libjpeg-turbo's full
// decode, interleaved in one run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

#include "bench/decode_bench.hpp"
#include "bench/spread.hpp"

namespace stoker::bench {

struct PackBenchOptions {
  std::string source;
  OpenOptions open;
  std::string
      work_dir;  // gets a folder of its own, removed at the end; default: the system's temporary folder
  int runs = 3;  // timed, after one warm-up
  int resize_short = 256;
  int quality = 90;
  int threads = 1;
  double turbo_seconds = 0.5;  // each time the unit is measured: before and after every pack
  std::uint64_t max_pixels = kDefaultMaxPixels;
};

struct PackRow {
  // pass_through, pass_through_index, index, resize_short_256, pass_through_tar, pass_through_tfrecord,
  // copy_files
  std::string name;
  Spread images_per_cpu_s;     // fsync apart
  Spread ratio_to_turbo;       // to turbo_full of the same run
  Spread images_per_s;         // wall clock, fsync apart
  double sync_s = 0;           // wall clock spent making a shard durable, mean of the runs
  double bytes_out_to_in = 0;  // seek index included; of `index` the index alone
};

struct PackBenchReport {
  std::vector<PackRow> rows;
  Spread turbo_images_per_cpu_s;
  std::uint64_t images = 0;
  std::uint64_t skipped = 0;
  int runs = 0;
};

// Errors: invalid_argument, cancelled, and whatever pack throws.
PackBenchReport run_pack_bench(const PackBenchOptions& options, const BenchProgressCallback& progress = {},
                               const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker::bench
