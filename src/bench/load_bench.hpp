// `stoker bench load`: the loader at several thread numbers, beside one core of plain libjpeg-turbo,
// interleaved in one run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stoker/image.hpp"
#include "stoker/loader.hpp"
#include "stoker/record.hpp"

#include "bench/spread.hpp"

namespace stoker::bench {

struct LoadBenchOptions {
  std::string source;
  OpenOptions open;
  std::string recipe = "imagenet_train(224)";
  std::vector<int> threads = {1, 2};  // 0: tuned
  int batch_size = 64;
  double seconds = 10;  // timed, for each thread number and each side of the cost, over all rounds
  int rounds = 5;       // each visits every thread number once
  // Read whole behind a warm-up one, for the slope of the memory; below 2: not measured. Empty: kEpochs of a
  // source of kFewSamples at most, else not measured, for it would take hours.
  std::optional<int> epochs;
  static constexpr int kEpochs = 3;
  static constexpr std::size_t kFewSamples = 20'000;
  int cost_turns = 4;  // short turns a round in which the loader's own cost is measured; 0: not measured
  std::uint64_t seed = 0;
  std::uint64_t max_pixels = kDefaultMaxPixels;
  PixelMode pixels = PixelMode::exact;
  LearnSeek learn = LearnSeek::off;  // else an index comes to lie by the source between two rounds
};

struct LoadRow {
  int threads = 0;                 // as asked; 0: tuned
  Spread images_per_s;             // wall clock, over the rounds
  double images_per_cpu_s = 0;     // user + system of the whole process, over all rounds
  Spread ratio_to_turbo_per_core;  // images per CPU second to libjpeg-turbo's full decode in the same round
  Spread speedup;                  // images_per_s to the first row's in the same round
  double peak_rss_mib = 0;  // of the process while this row ran; where it cannot be reset, since its start
  int tuned_threads = 0;    // decode workers at work at the end
  // By the loader's own counters: CPU time of the process less what read, decode and transform were busy.
  // Where threads outnumber idle CPUs a stage's clock runs while it waits for one, so this reads low (even
  // below 0): see LoaderCost.
  double overhead_us_per_image = 0;  // all of it, divided by the images
  double overhead_us_per_batch = 0;  // all of it, divided by the batches
};

// What the loader itself costs, measured from outside on tiny images held in memory: CPU time of the loader
// less that of a plain loop over the same reads and transforms, at two batch sizes, split into an image's and
// a batch's share.
struct LoaderCost {
  Spread us_per_image;
  Spread us_per_batch;
  int threads = 0;  // decode workers
  std::vector<int> batch_sizes;
  std::size_t images = 0;         // timed in each slice: the fewer `seconds` allow, the noisier the figures
  double plain_us_per_image = 0;  // of the plain loop, for scale
};

struct LoadBenchReport {
  std::vector<LoadRow> rows;
  Spread turbo_images_per_cpu_s;
  std::optional<LoaderCost> cost;  // none: not asked for
  std::uint64_t samples = 0;       // in the source
  std::string recipe;              // in its canonical form
  int batch_size = 0;
  // Resident memory over whole epochs, with the last of `threads`, behind a warm-up epoch: the last one's
  // median over the first's. None: fewer than 2 were asked for.
  std::optional<double> rss_slope_percent;
  std::vector<double> epoch_rss_mib;  // median over each epoch's batches
  std::vector<double> epoch_peak_rss_mib;
  double batch_ring_mib = 0;  // what the batches of the ring hold by themselves
  std::uint64_t bad_samples = 0;
  DecodeCounts decoded;  // of all rows, their warm-ups included
};

// What is being measured, for people.
using LoadBenchProgressCallback = std::function<void(const std::string&)>;

// Errors: invalid_argument, cancelled, and whatever open_records and the Loader throw.
LoadBenchReport run_load_bench(const LoadBenchOptions& options,
                               const LoadBenchProgressCallback& progress = {},
                               const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker::bench
