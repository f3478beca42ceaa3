#include "bench/load_bench.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "bench/load_slices.hpp"
#include "bench/loader_cost.hpp"
#include "bench/turbo_slice.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench load";
constexpr double kMiB = 1024.0 * 1024.0;

void check(const LoadBenchOptions& options) {
  constexpr double kMaxThreads = 1024, kMaxBatch = 65536, kDay = 86400;
  if (options.threads.empty()) {
    throw Error(ErrorCode::invalid_argument, {.operation = kOperation,
                                              .object = "threads",
                                              .found = "an empty list",
                                              .allowed = "at least one thread number, 0 for tuned"});
  }
  for (const int threads : options.threads) check_option(kOperation, "threads", threads, 0, kMaxThreads);
  check_option(kOperation, "batch-size", options.batch_size, 1, kMaxBatch);
  check_option(kOperation, "seconds", options.seconds, 0.01, kDay);
  check_option(kOperation, "rounds", options.rounds, 1, 1000);
  check_option(kOperation, "epochs", options.epochs.value_or(0), 0, 1000);
  check_option(kOperation, "cost-turns", options.cost_turns, 0, 1000);
}

LoaderOptions loader_options(const LoadBenchOptions& options, int threads) {
  LoaderOptions out;
  out.recipe = options.recipe;
  out.batch_size = options.batch_size;
  out.seed = options.seed;
  out.threads = threads;
  out.max_pixels = options.max_pixels;
  out.pixels = options.pixels;
  out.learn = options.learn;
  out.max_bad_share = 1;  // a bench counts bad samples and goes on
  return out;
}

// All rounds of one thread number.
struct RowRuns {
  std::vector<double> images_per_s, ratios, speedups;
  LoadSlice total;  // sums; peak and threads are the largest
};

void add(RowRuns& runs, const LoadSlice& slice, double turbo_rate, double first_rate) {
  const auto images = static_cast<double>(slice.images);
  const double rate = images / slice.wall_s;
  runs.images_per_s.push_back(rate);
  runs.ratios.push_back(images / slice.cpu_s / turbo_rate);
  runs.speedups.push_back(rate / (first_rate > 0 ? first_rate : rate));
  runs.total.images += slice.images;
  runs.total.batches += slice.batches;
  runs.total.cpu_s += slice.cpu_s;
  runs.total.busy_s += slice.busy_s;
  runs.total.bad_samples = std::max(runs.total.bad_samples, slice.bad_samples);
  runs.total.peak_rss_mib = std::max(runs.total.peak_rss_mib, slice.peak_rss_mib);
  runs.total.threads = slice.threads;
  runs.total.decoded += slice.decoded;
}

LoadRow row_of(int threads, const RowRuns& runs) {
  const auto images = static_cast<double>(runs.total.images);
  const double own_us = (runs.total.cpu_s - runs.total.busy_s) * 1e6;
  return {.threads = threads,
          .images_per_s = spread_of(runs.images_per_s),
          .images_per_cpu_s = images / runs.total.cpu_s,
          .ratio_to_turbo_per_core = spread_of(runs.ratios),
          .speedup = spread_of(runs.speedups),
          .peak_rss_mib = runs.total.peak_rss_mib,
          .tuned_threads = runs.total.threads,
          .overhead_us_per_image = own_us / images,
          .overhead_us_per_batch = own_us / static_cast<double>(runs.total.batches)};
}

}  // namespace

LoadBenchReport run_load_bench(const LoadBenchOptions& options, const LoadBenchProgressCallback& progress,
                               const std::atomic<bool>* cancel) {
  check(options);
  const auto tell = [&](const std::string& what) {
    if (progress) progress(what);
  };
  const Recipe recipe = Recipe::parse(options.recipe);
  if (recipe.is_array()) {
    throw Error(ErrorCode::invalid_argument,
                {.operation = "bench load",
                 .object = options.recipe,
                 .found = "a recipe for arrays",
                 .allowed = "one for images: rates are told beside libjpeg-turbo's"});
  }
  const std::shared_ptr<const RecordReader> records = open_records(options.source, options.open);
  const double slice_s = options.seconds / options.rounds;

  std::vector<RowRuns> runs(options.threads.size());
  std::vector<double> turbo_rates;
  for (int round = 0; round < options.rounds; ++round) {
    tell(fmt::format("round {} of {}", round + 1, options.rounds));
    // Before and after the loader's slices: a drift within the round meets both sides.
    const double turbo_before = run_turbo_slice(*records, slice_s / 2, options.max_pixels, cancel);
    std::vector<LoadSlice> slices;
    for (const int threads : options.threads) {
      slices.push_back(run_load_slice(records, loader_options(options, threads), slice_s, cancel));
    }
    const double turbo_after = run_turbo_slice(*records, slice_s / 2, options.max_pixels, cancel);
    const double turbo_rate = 2 / (1 / turbo_before + 1 / turbo_after);
    turbo_rates.push_back(turbo_rate);
    const double first_rate = static_cast<double>(slices[0].images) / slices[0].wall_s;
    for (std::size_t i = 0; i < slices.size(); ++i) add(runs[i], slices[i], turbo_rate, first_rate);
  }

  LoadBenchReport report;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    report.rows.push_back(row_of(options.threads[i], runs[i]));
    report.bad_samples = std::max(report.bad_samples, runs[i].total.bad_samples);
    report.decoded += runs[i].total.decoded;
  }
  report.turbo_images_per_cpu_s = spread_of(turbo_rates);
  if (options.cost_turns > 0) {
    tell("the loader's own cost");
    report.cost =
        measure_loader_cost(options.rounds, options.cost_turns, slice_s / options.cost_turns, cancel);
  }
  const int epochs = options.epochs.value_or(
      records->size() <= LoadBenchOptions::kFewSamples ? LoadBenchOptions::kEpochs : 0);
  if (epochs > 1) {
    const auto tell_epoch = [&](int epoch) {
      tell(epoch == 0 ? fmt::format("memory: warm-up epoch of {} samples", records->size())
                      : fmt::format("memory: epoch {} of {}", epoch, epochs));
    };
    const EpochMemory memory = run_memory_epochs(records, loader_options(options, options.threads.back()),
                                                 epochs, tell_epoch, cancel);
    report.epoch_rss_mib = memory.median_mib;
    report.epoch_peak_rss_mib = memory.peak_mib;
    report.rss_slope_percent = (memory.median_mib.back() / memory.median_mib.front() - 1) * 100;
  }
  report.samples = records->size();
  report.recipe = recipe.to_string();
  report.batch_size = options.batch_size;
  const LoaderOptions ring = loader_options(options, 0);
  report.batch_ring_mib =
      static_cast<double>(recipe.bytes_per_sample()) * options.batch_size * (ring.batches_ahead + 1) / kMiB;
  return report;
}

}  // namespace stoker::bench
