#include "bench/pack_bench.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"
#include "stoker/pack.hpp"

#include "bench/bench_checks.hpp"
#include "bench/turbo_slice.hpp"
#include "bench/work_dir.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench pack";

// One way to pack, and what its runs came to.
struct PackCase {
  std::string name;
  PackOptions options;
  std::vector<double> per_cpu_s, ratios, per_s;
  double sync_s = 0;
  std::uint64_t images = 0, skipped = 0;
  double bytes_out_to_in = 0;
};

PackOptions pack_options(const PackBenchOptions& options, const std::string& destination) {
  PackOptions out;
  out.source = options.source;
  out.open = options.open;
  out.destination = destination;
  out.threads = options.threads;
  out.max_pixels = options.max_pixels;
  out.max_bad_share = 1;  // a bench counts bad samples and goes on
  return out;
}

PackReport run_pack(const PackCase& what, const std::atomic<bool>* cancel) {
  PackReport report = pack(what.options, {}, cancel);
  if (report.packed > 0) return report;
  const std::string first =
      report.skipped.empty() ? "" : report.skipped[0].key + ": " + report.skipped[0].reason;
  throw Error(ErrorCode::invalid_argument, {.operation = kOperation,
                                            .object = what.options.source,
                                            .found = "nothing that can be packed " + first});
}

void note(PackCase& what, const PackReport& report, double turbo_rate) {
  const auto images = static_cast<double>(report.inputs);
  const double cpu_s = report.cpu_s - report.sync_cpu_s;
  what.per_cpu_s.push_back(images / cpu_s);
  what.ratios.push_back(images / cpu_s / turbo_rate);
  what.per_s.push_back(images / (report.wall_s - report.sync_s));
  what.sync_s += report.sync_s;
  what.images = report.inputs;
  what.skipped = report.skipped_count;
  what.bytes_out_to_in = static_cast<double>(report.bytes_out) / static_cast<double>(report.bytes_in);
}

}  // namespace

PackBenchReport run_pack_bench(const PackBenchOptions& options, const BenchProgressCallback& progress,
                               const std::atomic<bool>* cancel) {
  constexpr double kMaxRuns = 1000, kMaxSide = 65500, kMaxThreads = 1024;
  check_option(kOperation, "runs", options.runs, 1, kMaxRuns);
  check_option(kOperation, "resize-short", options.resize_short, 1, kMaxSide);
  check_option(kOperation, "quality", options.quality, 1, 100);
  check_option(kOperation, "threads", options.threads, 0, kMaxThreads);
  check_option(kOperation, "turbo-seconds", options.turbo_seconds, 0.001, 3600);
  const std::unique_ptr<RecordReader> records = open_records(options.source, options.open);
  const WorkDir work(options.work_dir);
  std::vector<PackCase> cases(2);
  cases[0].name = "pass_through";
  cases[0].options = pack_options(options, work.path("pass.rec"));
  cases[1].name = fmt::format("resize_short_{}", options.resize_short);
  cases[1].options = pack_options(options, work.path("resized.rec"));
  cases[1].options.resize_short = options.resize_short;
  cases[1].options.quality = options.quality;

  std::vector<double> turbo_rates;
  for (int run = 0; run <= options.runs; ++run) {  // run 0 is the warm-up
    // Each pack stands between two measurements of the unit, so that a drift meets both sides.
    double before = run_turbo_slice(*records, options.turbo_seconds, options.max_pixels, cancel);
    for (PackCase& what : cases) {
      const PackReport packed = run_pack(what, cancel);
      const double after = run_turbo_slice(*records, options.turbo_seconds, options.max_pixels, cancel);
      const double turbo_rate = 2 / (1 / before + 1 / after);
      before = after;
      if (run == 0) continue;
      turbo_rates.push_back(turbo_rate);
      note(what, packed, turbo_rate);
    }
    if (progress) progress(run + 1, options.runs + 1);
  }

  PackBenchReport report;
  for (const PackCase& what : cases) {
    report.rows.push_back({.name = what.name,
                           .images_per_cpu_s = spread_of(what.per_cpu_s),
                           .ratio_to_turbo = spread_of(what.ratios),
                           .images_per_s = spread_of(what.per_s),
                           .sync_s = what.sync_s / options.runs,
                           .bytes_out_to_in = what.bytes_out_to_in});
  }
  report.turbo_images_per_cpu_s = spread_of(turbo_rates);
  report.images = cases[0].images;
  report.skipped = cases[1].skipped;
  report.runs = options.runs;
  return report;
}

}  // namespace stoker::bench
