#include "bench/decode_bench.hpp"

#include <algorithm>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "bench/bench_samples.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench decode";

// Samples that one route gets before the next one takes over: about 30 ms, so that a noisy second hits all
// routes alike.
constexpr std::size_t kTurnSamples = 32;
constexpr double kTurnPixels = 8e6;

void check(const DecodeBenchOptions& options) {
  constexpr double kMaxRuns = 1000, kMaxOutput = 4096;
  check_option(kOperation, "runs", options.runs, 1, kMaxRuns);
  check_option(kOperation, "limit", static_cast<double>(options.limit), 1, 1e9);
  check_option(kOperation, "output-size", options.routes.output_size, 1, kMaxOutput);
  if (options.as != SampleForm::keep && options.from != SampleSource::memory) {
    throw Error(ErrorCode::invalid_argument, {.operation = kOperation,
                                              .object = "from",
                                              .found = "samples in another form, read from the source",
                                              .allowed = "memory: the source holds none in that form"});
  }
}

// Where the turn that begins with sample `begin` ends.
std::size_t turn_end(const std::vector<BenchSample>& samples, std::size_t begin) {
  double pixels = 0;
  std::size_t end = begin;
  while (end < samples.size() && end - begin < kTurnSamples && (end == begin || pixels < kTurnPixels)) {
    pixels += double(samples[end].size.width) * samples[end].size.height;
    ++end;
  }
  return end;
}

// Seconds of each route in one run over all samples.
std::vector<double> time_run(const DecodeRoutes& routes, const std::vector<BenchSample>& samples,
                             DecodeFeed& feed, std::size_t turn, const std::atomic<bool>* cancel) {
  std::vector<double> seconds(routes.size());
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end, ++turn) {
    end = turn_end(samples, begin);
    for (std::size_t k = 0; k < routes.size(); ++k) {
      check_cancel(kOperation, cancel);
      const std::size_t r = (turn + k) % routes.size();
      feed.begin_turn(begin, end);
      const double start = feed.now_s();
      for (std::size_t i = begin; i < end; ++i) routes[r]->run(i, feed.bytes(i));
      seconds[r] += feed.now_s() - start;
    }
  }
  return seconds;
}

// The timed runs' seconds, of each run and route.
using RunSeconds = std::vector<std::vector<double>>;

std::vector<DecodeRow> rows_of(const DecodeRoutes& routes, const std::vector<RouteCheck>& checks,
                               const RunSeconds& runs, std::size_t images) {
  std::vector<DecodeRow> rows;
  for (std::size_t r = 0; r < routes.size(); ++r) {
    const std::size_t baseline = baseline_of(routes, r);
    std::vector<double> rates, ratios, full_ratios;
    for (const std::vector<double>& seconds : runs) {
      rates.push_back(static_cast<double>(images) / seconds[r]);
      ratios.push_back(seconds[baseline] / seconds[r]);
      full_ratios.push_back(seconds[0] / seconds[r]);
    }
    rows.push_back({.name = routes[r]->name(),
                    .about = routes[r]->about(),
                    .images_per_s = spread_of(rates),
                    .ratio_to_turbo = spread_of(ratios),
                    .ratio_to_turbo_full = spread_of(full_ratios),
                    .baseline = routes[r]->baseline(),
                    .check = checks[r]});
  }
  return rows;
}

}  // namespace

DecodeBenchReport run_decode_bench(const DecodeBenchOptions& options, const BenchProgressCallback& progress,
                                   const std::atomic<bool>* cancel) {
  check(options);
  OpenOptions open = options.open;
  open.seek_index = SeekIndexUse::off;  // the points are our own, and a read is a read alone
  const std::unique_ptr<RecordReader> records = open_records(options.source, open);
  BenchSamples set = read_bench_samples(*records, options.limit, options.memory_limit_bytes,
                                        options.routes.max_pixels, options.as);
  const std::uint64_t seek_bytes = add_seek_points(set.samples);
  const DecodeRoutes routes = make_decode_routes(set.samples, options.routes);

  const std::vector<RouteCheck> checks = check_routes(routes, set.samples, cancel);
  if (progress) progress(1, options.runs + 1);
  DecodeFeed feed(options.from, *records, set.samples);
  const std::optional<double> fetched_before = storage_bytes();
  RunSeconds runs;
  for (int run = 0; run < options.runs; ++run) {
    runs.push_back(time_run(routes, set.samples, feed, static_cast<std::size_t>(run), cancel));
    if (progress) progress(run + 2, options.runs + 1);
  }
  const std::optional<double> fetched = storage_bytes();

  const auto count = static_cast<double>(set.samples.size());
  DecodeBenchReport report{.rows = rows_of(routes, checks, runs, set.samples.size()),
                           .images = set.samples.size(),
                           .skipped = set.skipped,
                           .first_skipped = set.first_skipped,
                           .mean_bytes = static_cast<double>(set.bytes) / count,
                           .mean_seek_bytes = static_cast<double>(seek_bytes) / count,
                           .mean_megapixels = static_cast<double>(set.pixels) / count / 1e6,
                           .runs = options.runs,
                           .output_size = options.routes.output_size,
                           .as = options.as,
                           .from = options.from,
                           .mean_storage_bytes = {},
                           .machine = this_machine()};
  if (options.from != SampleSource::memory && fetched_before && fetched) {
    report.mean_storage_bytes =
        (*fetched - *fetched_before) / (count * options.runs * static_cast<double>(routes.size()));
  }
  return report;
}

}  // namespace stoker::bench
