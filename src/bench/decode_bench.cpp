#include "bench/decode_bench.hpp"

#include <algorithm>

#include "bench/bench_checks.hpp"
#include "bench/bench_samples.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/decode_routes.hpp"

namespace stoker::bench {

namespace {

// Samples that one route gets before the next one takes over: about 30 ms, so that a noisy second hits all
// routes alike.
constexpr std::size_t kChunk = 32;

// CPU seconds of each route in one run over all samples.
std::vector<double> time_run(const DecodeRoutes& routes, std::size_t samples, std::size_t turn,
                             const std::atomic<bool>* cancel) {
  std::vector<double> cpu_s(routes.size());
  for (std::size_t begin = 0; begin < samples; begin += kChunk, ++turn) {
    check_cancel("bench decode", cancel);
    const std::size_t end = std::min(begin + kChunk, samples);
    for (std::size_t k = 0; k < routes.size(); ++k) {
      const std::size_t r = (turn + k) % routes.size();
      const double start = thread_cpu_s();
      for (std::size_t i = begin; i < end; ++i) routes[r]->run(i);
      cpu_s[r] += thread_cpu_s() - start;
    }
  }
  return cpu_s;
}

}  // namespace

DecodeBenchReport run_decode_bench(const DecodeBenchOptions& options, const BenchProgressCallback& progress,
                                   const std::atomic<bool>* cancel) {
  constexpr double kMaxRuns = 1000, kMaxOutput = 4096;
  check_option("bench decode", "runs", options.runs, 1, kMaxRuns);
  check_option("bench decode", "limit", static_cast<double>(options.limit), 1, 1e9);
  check_option("bench decode", "output-size", options.output_size, 1, kMaxOutput);
  const std::unique_ptr<RecordReader> records = open_records(options.source, options.open);
  const BenchSamples set =
      read_bench_samples(*records, options.limit, options.memory_limit_bytes, options.max_pixels);
  const DecodeRoutes routes =
      make_decode_routes(set.samples, options.output_size, options.seed, options.max_pixels);

  const std::vector<bool> exact = measure_exactness(routes, set.samples.size(), cancel);
  if (progress) progress(1, options.runs + 1);
  std::vector<std::vector<double>> rates(routes.size()), ratios(routes.size()), full_ratios(routes.size());
  for (int run = 0; run < options.runs; ++run) {
    const std::vector<double> cpu_s =
        time_run(routes, set.samples.size(), static_cast<std::size_t>(run), cancel);
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const std::size_t baseline = baseline_of(routes, r);
      rates[r].push_back(static_cast<double>(set.samples.size()) / cpu_s[r]);
      ratios[r].push_back(cpu_s[baseline] / cpu_s[r]);
      full_ratios[r].push_back(cpu_s[0] / cpu_s[r]);
    }
    if (progress) progress(run + 2, options.runs + 1);
  }

  DecodeBenchReport report;
  for (std::size_t r = 0; r < routes.size(); ++r) {
    report.rows.push_back({.name = routes[r]->name(),
                           .images_per_s = spread_of(rates[r]),
                           .ratio_to_turbo = spread_of(ratios[r]),
                           .ratio_to_turbo_full = spread_of(full_ratios[r]),
                           .baseline = routes[r]->baseline(),
                           .exact = exact[r]});
  }
  const auto count = static_cast<double>(set.samples.size());
  report.images = set.samples.size();
  report.skipped = set.skipped;
  report.first_skipped = set.first_skipped;
  report.mean_bytes = static_cast<double>(set.bytes) / count;
  report.mean_megapixels = static_cast<double>(set.pixels) / count / 1e6;
  report.runs = options.runs;
  return report;
}

}  // namespace stoker::bench
