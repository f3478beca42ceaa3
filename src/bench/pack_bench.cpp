#include "bench/pack_bench.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>

#include "stoker/error.hpp"
#include "stoker/index.hpp"
#include "stoker/pack.hpp"

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/turbo_slice.hpp"
#include "bench/work_dir.hpp"
#include "store/local_store.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench pack";

// What one run of a case took and left.
struct Run {
  std::uint64_t images = 0, skipped = 0;
  double wall_s = 0, cpu_s = 0;  // fsync apart
  double sync_s = 0;
  double bytes_out_to_in = 0;
};

// One thing to measure, and what its runs came to.
struct PackCase {
  std::string name;
  std::function<Run()> run;
  std::vector<double> per_cpu_s, ratios, per_s;
  Run last;
  double sync_s = 0;  // of all runs
};

PackOptions pack_options(const PackBenchOptions& options, const std::string& destination) {
  PackOptions out;
  out.source = options.source;
  out.open = options.open;
  out.open.seek_index = SeekIndexUse::off;  // every point is found, none is taken over
  out.destination = destination;
  out.threads = options.threads;
  out.max_pixels = options.max_pixels;
  out.max_bad_share = 1;  // a bench counts bad samples and goes on
  return out;
}

Run run_pack(const PackOptions& options, const std::atomic<bool>* cancel) {
  const PackReport report = pack(options, {}, cancel);
  if (report.packed == 0) {
    const std::string first =
        report.skipped.empty() ? "" : report.skipped[0].key + ": " + report.skipped[0].reason;
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = kOperation, .object = options.source, .found = "nothing that can be packed " + first});
  }
  return {.images = report.inputs,
          .skipped = report.skipped_count,
          .wall_s = report.wall_s - report.sync_s,
          .cpu_s = report.cpu_s - report.sync_cpu_s,
          .sync_s = report.sync_s,
          .bytes_out_to_in = static_cast<double>(report.bytes_out + report.index_bytes) /
                             static_cast<double>(report.bytes_in)};
}

// Of the source as it stands; the index goes to the bench's own folder.
Run run_index(const PackBenchOptions& options, const std::string& folder, const std::atomic<bool>* cancel) {
  IndexOptions index{.source = options.source, .open = options.open, .threads = options.threads};
  index.open.seek_index = SeekIndexUse::off;
  index.open.index_dir = folder;
  const IndexReport report = build_seek_index(index, {}, cancel);
  return {.images = report.records,
          .wall_s = report.wall_s,
          .cpu_s = report.cpu_s,
          .bytes_out_to_in = static_cast<double>(report.index_bytes) / static_cast<double>(report.bytes)};
}

// What `cp` would do: each file of the source copied by the system, and not made durable.
Run run_copy(const RecordReader& records, const std::string& folder) {
  Run run{.images = records.size(), .bytes_out_to_in = 1};
  std::filesystem::create_directories(folder);
  const double wall = wall_s(), cpu = process_cpu_s();
  std::string last;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string file = records.info(i).container;
    if (file == last) continue;
    std::filesystem::copy_file(store::local_path(file), fmt::format("{}/{}", folder, number++));
    last = std::move(file);
  }
  run.wall_s = wall_s() - wall;
  run.cpu_s = process_cpu_s() - cpu;
  std::filesystem::remove_all(folder);
  return run;
}

void note(PackCase& what, double turbo_rate) {
  const auto images = static_cast<double>(what.last.images);
  what.per_cpu_s.push_back(images / what.last.cpu_s);
  what.ratios.push_back(images / what.last.cpu_s / turbo_rate);
  what.per_s.push_back(images / what.last.wall_s);
  what.sync_s += what.last.sync_s;
}

std::vector<PackCase> make_cases(const PackBenchOptions& options, const RecordReader& records,
                                 const WorkDir& work, const std::atomic<bool>* cancel) {
  PackOptions plain = pack_options(options, work.path("pass.rec"));
  PackOptions indexed = pack_options(options, work.path("indexed.rec"));
  PackOptions resized = pack_options(options, work.path("resized.rec"));
  plain.seek_index = false;
  PackOptions tar = plain, tfrecord = plain;
  tar.destination = work.path("pass_tar.tar");
  tfrecord.destination = work.path("pass_tfrecord.tfrecord");
  // What RecordIO holds of its source, the others hold; what it cannot hold is not measured here.
  plain.drop_fields = indexed.drop_fields = resized.drop_fields = true;
  resized.resize_short = options.resize_short;
  resized.quality = options.quality;
  const auto pack_case = [cancel](std::string name, PackOptions how) {
    return PackCase{.name = std::move(name), .run = [=] { return run_pack(how, cancel); }};
  };
  return {
      pack_case("pass_through", std::move(plain)),
      pack_case("pass_through_index", std::move(indexed)),
      PackCase{.name = "index", .run = [&, cancel] { return run_index(options, work.path("."), cancel); }},
      pack_case(fmt::format("resize_short_{}", options.resize_short), std::move(resized)),
      pack_case("pass_through_tar", std::move(tar)),
      pack_case("pass_through_tfrecord", std::move(tfrecord)),
      PackCase{.name = "copy_files", .run = [&] { return run_copy(records, work.path("copies")); }}};
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
  std::vector<PackCase> cases = make_cases(options, *records, work, cancel);
  std::vector<double> turbo_rates;
  for (int run = 0; run <= options.runs; ++run) {  // run 0 is the warm-up
    // Each pack stands between two measurements of the unit, so that a drift meets both sides.
    double before = run_turbo_slice(*records, options.turbo_seconds, options.max_pixels, cancel);
    for (PackCase& what : cases) {
      what.last = what.run();
      const double after = run_turbo_slice(*records, options.turbo_seconds, options.max_pixels, cancel);
      const double turbo_rate = 2 / (1 / before + 1 / after);
      before = after;
      if (run == 0) continue;
      turbo_rates.push_back(turbo_rate);
      note(what, turbo_rate);
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
                           .bytes_out_to_in = what.last.bytes_out_to_in});
  }
  report.turbo_images_per_cpu_s = spread_of(turbo_rates);
  report.images = cases.front().last.images;
  for (const PackCase& what : cases) report.skipped = std::max(report.skipped, what.last.skipped);
  report.runs = options.runs;
  return report;
}

}  // namespace stoker::bench
