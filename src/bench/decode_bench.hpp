// `stoker bench decode`: every decode route of ours beside plain libjpeg-turbo, one thread, interleaved in
// one run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/record.hpp"

#include "bench/decode_feed.hpp"
#include "bench/decode_routes.hpp"
#include "bench/machine.hpp"
#include "bench/spread.hpp"

namespace stoker::bench {

struct DecodeBenchOptions {
  std::string source;
  OpenOptions open;
  int runs = 5;              // timed, after one warm-up
  std::size_t limit = 2000;  // samples taken, spread evenly over the source
  std::size_t memory_limit_bytes = std::size_t{1}
                                   << 30;  // of compressed bytes held; fewer samples are taken beyond it
  RouteOptions routes;                     // random crops, their size, and which routes run
  SampleForm as = SampleForm::keep;
  SampleSource from = SampleSource::memory;  // others than memory: of `keep` alone
};

struct DecodeRow {
  std::string name;
  std::string about;           // what the route does, in a few words
  Spread images_per_s;         // by the clock of `from`
  Spread ratio_to_turbo;       // to `baseline` of the same run
  Spread ratio_to_turbo_full;  // to plain libjpeg-turbo's full decode, whatever the baseline
  std::string baseline;        // turbo_full, or the turbo route that does the same work
  RouteCheck check;            // measured in the warm-up
};

struct DecodeBenchReport {
  std::vector<DecodeRow> rows;
  std::uint64_t images = 0;  // timed
  std::uint64_t skipped =
      0;  // left out of every route: unreadable, or nothing that plain libjpeg-turbo turns into RGB
  std::string first_skipped;  // key and reason; empty: none
  double mean_bytes = 0;
  double mean_seek_bytes = 0;  // packed seek points of an image
  double mean_megapixels = 0;
  int runs = 0;
  int output_size = 0;
  SampleForm as = SampleForm::keep;
  SampleSource from = SampleSource::memory;
  // Fetched from storage for each image read, of `cold` or `cache`: far below mean_bytes where the file
  // system keeps its pages. None: not known, or nothing was read.
  std::optional<double> mean_storage_bytes;
  Machine machine;
};

// Runs done (the warm-up is the first), runs in all.
using BenchProgressCallback = std::function<void(int, int)>;

// Seek points are found before anything is timed. Errors: invalid_argument, cancelled, and whatever
// open_records throws.
DecodeBenchReport run_decode_bench(const DecodeBenchOptions& options,
                                   const BenchProgressCallback& progress = {},
                                   const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker::bench
