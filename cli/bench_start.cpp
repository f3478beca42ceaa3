// stoker bench start
#include <fmt/format.h>
#include <utility>

#include "base/units.hpp"
#include "bench/start_bench.hpp"
#include "cli/bench_common.hpp"

namespace stoker::cli {

namespace {

Json to_json(const bench::StartBenchReport& report) {
  Json json = json_object("bench.start");
  json["records"] = report.records;
  json["container_bytes"] = report.container_bytes;
  json["make_s"] = measured(report.make_s);
  json["open_s"] = spread_json(report.open_s);
  json["first_batch_s"] = spread_json(report.first_batch_s);
  json["runs"] = report.runs;
  return json;
}

void tell(const bench::StartBenchReport& report, Output& out) {
  constexpr double kMs = 1000;
  Table table({"until", "ms", "min", "max"});
  for (const auto& [name, spread] :
       {std::pair("opened", report.open_s), std::pair("first batch", report.first_batch_s)})
    table.row({name, short_number(spread.median * kMs), short_number(spread.min * kMs),
               short_number(spread.max * kMs)});
  print(table, out);
  out.line(fmt::format("{}, {}; {} runs", counted(report.records, "record"),
                       format_bytes(report.container_bytes), report.runs));
}

}  // namespace

int run_bench_start(const Call& call) {
  bench::StartBenchOptions bench;
  CommonOptions common;
  Options options(
      "bench start", "stoker bench start --records 1300000",
      "From nothing to the first batch: makes containers of very many tiny JPEGs, then opens them with their "
      "cached indexes and loads one batch.");
  options.custom("--records", "N", fmt::format("{}", bench.records), "in all containers",
                 [&bench](std::string_view text) { bench.records = parse_size(text, 1); });
  options.integer(bench.shards, "--shards", "containers", {.low = 1, .high = 1'000'000});
  options.integer(bench.runs, "--runs", "timed runs", {.low = 1, .high = 1000});
  options.integer(bench.batch_size, "--batch-size", "images", {.low = 1, .high = 65536});
  options.threads(bench.threads, "--threads", "decode workers");
  options.text(bench.work_dir, "--work-dir", "DIR",
               "keeps the containers for the next call; default: a temporary folder");
  if (!call.parse(options, common)) return kDone;

  return measure_and_print(call, common, bench, bench::run_start_bench, to_json, tell);
}

}  // namespace stoker::cli
