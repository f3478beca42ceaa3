#include "bench/start_bench.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"
#include "stoker/record.hpp"

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/memory_reader.hpp"
#include "bench/work_dir.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench start";

// Records [first, last) of the source.
void write_container(const std::string& path, std::uint64_t first, std::uint64_t last,
                     const std::atomic<bool>* cancel) {
  constexpr int kSide = 8;
  const std::vector<std::byte> image = make_tiny_jpeg(kSide);
  const std::unique_ptr<RecordWriter> writer = open_record_writer(path);
  for (std::uint64_t i = first; i < last; ++i) {
    constexpr std::uint64_t kClasses = 1000, kBetweenChecks = 4096;
    if (i % kBetweenChecks == 0) check_cancel(kOperation, cancel);
    const float label[] = {static_cast<float>(i % kClasses)};
    writer->append("", label, {"image", image});
  }
  writer->finish();
}

void write_source(const std::string& path, const StartBenchOptions& options,
                  const std::atomic<bool>* cancel) {
  if (options.shards == 1) return write_container(path, 0, options.records, cancel);
  const auto shards = static_cast<std::uint64_t>(options.shards);
  for (std::uint64_t i = 0; i < shards; ++i)
    write_container(fmt::format("{}/{:05}.rec", path, i), options.records * i / shards,
                    options.records * (i + 1) / shards, cancel);
}

std::uint64_t container_bytes(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return fs::file_size(path, failed);
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".rec") bytes += entry.file_size();
  return bytes;
}

struct Start {
  double open_s;
  double first_batch_s;
};

Start start_once(const std::string& path, const StartBenchOptions& options, std::uint64_t expected) {
  const double begin = wall_s();
  const std::shared_ptr<const RecordReader> records = open_records(path);
  const double opened = wall_s();
  LoaderOptions loading;
  loading.recipe = "random_resized_crop(8) flip normalize(imagenet)";
  loading.batch_size = options.batch_size;
  loading.threads = options.threads;
  Loader loader(records, loading);
  const Batch batch = loader.next();
  const double first = wall_s();
  if (records->size() != expected || !batch) {
    throw Error(ErrorCode::invalid_argument, {.operation = kOperation,
                                              .object = path,
                                              .found = fmt::format("{} records", records->size()),
                                              .allowed = std::to_string(expected),
                                              .next_step = "remove it, so that it is made anew"});
  }
  return {opened - begin, first - begin};
}

}  // namespace

StartBenchReport run_start_bench(const StartBenchOptions& options, const BenchProgressCallback& progress,
                                 const std::atomic<bool>* cancel) {
  constexpr double kMaxRecords = 1e9, kMaxRuns = 1000, kMaxBatch = 65536, kMaxThreads = 1024;
  check_option(kOperation, "records", static_cast<double>(options.records), 1, kMaxRecords);
  check_option(kOperation, "shards", options.shards, 1, static_cast<double>(options.records));
  check_option(kOperation, "runs", options.runs, 1, kMaxRuns);
  check_option(kOperation, "batch-size", options.batch_size, 1, kMaxBatch);
  check_option(kOperation, "threads", options.threads, 0, kMaxThreads);
  std::optional<WorkDir> temporary;
  if (options.work_dir.empty()) temporary.emplace("");
  const std::string name = options.shards == 1 ? fmt::format("start-{}.rec", options.records)
                                               : fmt::format("start-{}-{}", options.records, options.shards);
  const std::string path = temporary ? temporary->path(name) : options.work_dir + "/" + name;

  StartBenchReport report;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    const double begin = wall_s();
    write_source(path, options, cancel);
    report.make_s = wall_s() - begin;
  }
  std::vector<double> open_s, first_batch_s;
  for (int run = 0; run <= options.runs;
       ++run) {  // run 0 is the warm-up: it brings the index into the page cache
    check_cancel(kOperation, cancel);
    const Start start = start_once(path, options, options.records);
    if (progress) progress(run + 1, options.runs + 1);
    if (run == 0) continue;
    open_s.push_back(start.open_s);
    first_batch_s.push_back(start.first_batch_s);
  }
  report.records = options.records;
  report.container_bytes = container_bytes(path);
  report.open_s = spread_of(open_s);
  report.first_batch_s = spread_of(first_batch_s);
  report.runs = options.runs;
  return report;
}

}  // namespace stoker::bench
