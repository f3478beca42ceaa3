// `stoker bench start`: from nothing to the first batch of very many records.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "bench/decode_bench.hpp"
#include "bench/spread.hpp"

namespace stoker::bench {

struct StartBenchOptions {
  std::uint64_t records = 1'300'000;  // tiny JPEGs
  int shards = 1;                     // containers that they lie in
  std::string work_dir;  // keeps start-N.rec, or the folder start-N-SHARDS, between calls; default: a
                         // temporary folder, removed at the end
  int runs = 5;
  int batch_size = 64;
  int threads = 0;
};

struct StartBenchReport {
  std::uint64_t records = 0;
  std::uint64_t container_bytes = 0;  // of all shards
  double make_s = 0;                  // writing them; 0: they were there
  Spread open_s;                      // open_records
  Spread first_batch_s;               // open_records + Loader + its first batch
  int runs = 0;
};

// Errors: invalid_argument, io, out_of_resources, cancelled.
StartBenchReport run_start_bench(const StartBenchOptions& options, const BenchProgressCallback& progress = {},
                                 const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker::bench
