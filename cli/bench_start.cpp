// stoker bench start
#include <fmt/format.h>
#include <utility>

#include "base/units.hpp"
#include "bench/start_bench.hpp"
#include "cli/bench_common.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

int run_bench_start(const Call& call) {
  bench::StartBenchOptions bench;
  CommonOptions common;
  Options options(
      "bench start", "stoker bench start --records 1300000",
      "From nothing to the first batch: makes a container of very many tiny JPEGs, then opens it with its "
      "cached index and loads one batch.");
  options.custom("--records", "N", fmt::format("{}", bench.records), "in the container",
                 [&bench](std::string_view text) { bench.records = parse_size(text, 1); });
  options.integer(bench.runs, "--runs", "timed runs", {.low = 1, .high = 1000});
  options.integer(bench.batch_size, "--batch-size", "images", {.low = 1, .high = 65536});
  options.threads(bench.threads, "--threads", "decode workers");
  options.text(bench.work_dir, "--work-dir", "DIR",
               "keeps the container for the next call; default: a temporary folder");
  if (!call.parse(options, common)) return kDone;

  bench::StartBenchReport report;
  {
    Progress progress(call.talk, "runs");
    report = bench::run_start_bench(
        bench,
        [&](int done, int total) {
          progress.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
        },
        &stop_requested());
  }
  if (common.json) {
    Json json = json_object("bench.start");
    json["records"] = report.records;
    json["container_bytes"] = report.container_bytes;
    json["make_s"] = measured(report.make_s);
    json["open_s"] = spread_json(report.open_s);
    json["first_batch_s"] = spread_json(report.first_batch_s);
    json["runs"] = report.runs;
    call.out.line(json_line(json));
    return kDone;
  }
  constexpr double kMs = 1000;
  Table table({"until", "ms", "min", "max"});
  for (const auto& [name, spread] :
       {std::pair("opened", report.open_s), std::pair("first batch", report.first_batch_s)})
    table.row({name, short_number(spread.median * kMs), short_number(spread.min * kMs),
               short_number(spread.max * kMs)});
  for (const std::string& line : table.lines()) call.out.line(line);
  call.out.line(fmt::format("{}, {}; {} runs", counted(report.records, "record"),
                            format_bytes(report.container_bytes), report.runs));
  return kDone;
}

}  // namespace stoker::cli
