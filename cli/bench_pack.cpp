// stoker bench pack SOURCE
#include <fmt/format.h>

#include "bench/pack_bench.hpp"
#include "cli/bench_common.hpp"

namespace stoker::cli {

namespace {

Json to_json(const bench::PackBenchReport& report) {
  Json json = json_object("bench.pack");
  json["rows"] = Json::array();
  for (const bench::PackRow& row : report.rows) {
    json["rows"].push_back({{"name", row.name},
                            {"images_per_cpu_s", spread_json(row.images_per_cpu_s)},
                            {"ratio_to_turbo", spread_json(row.ratio_to_turbo)},
                            {"images_per_s", spread_json(row.images_per_s)},
                            {"sync_s", measured(row.sync_s)},
                            {"bytes_out_to_in", measured(row.bytes_out_to_in)}});
  }
  json["turbo_images_per_cpu_s"] = spread_json(report.turbo_images_per_cpu_s);
  json["images"] = report.images;
  json["skipped"] = report.skipped;
  json["runs"] = report.runs;
  return json;
}

void tell(const bench::PackBenchReport& report, Output& out) {
  Table table({"pack", "images/CPU s", "to turbo (min-max)", "images/s", "fsync s", "out/in"});
  for (const bench::PackRow& row : report.rows) {
    table.row({row.name, short_number(row.images_per_cpu_s.median), told(row.ratio_to_turbo),
               short_number(row.images_per_s.median), short_number(row.sync_s),
               short_number(row.bytes_out_to_in)});
  }
  print(table, out);
  out.line(fmt::format(
      "{}, {} skipped; {} runs after a warm-up; libjpeg-turbo, full decode: {} images per CPU second",
      counted(report.images, "image"), report.skipped, report.runs,
      short_number(report.turbo_images_per_cpu_s.median)));
}

}  // namespace

int run_bench_pack(const Call& call) {
  bench::PackBenchOptions bench;
  CommonOptions common;
  Options options(
      "bench pack", "stoker bench pack photos/",
      "What packing and indexing cost in CPU seconds, against plain libjpeg-turbo's full decode of the same "
      "images, interleaved in one run.");
  options.positional(bench.source, "SOURCE");
  options.integer(bench.runs, "--runs", "timed runs", {.low = 1, .high = 1000});
  options.integer(bench.resize_short, "--resize-short", "short side in pixels", {.low = 1, .high = 65500});
  options.integer(bench.quality, "--quality", "of the JPEGs written", {.low = 1, .high = 100});
  options.threads(bench.threads, "--threads", "packing threads");
  options.text(bench.work_dir, "--work-dir", "DIR", "for the packs; default: the temporary folder");
  declare_max_pixels(options, bench.max_pixels);
  declare_open(options, bench.open);
  if (!call.parse(options, common)) return kDone;

  return measure_and_print(call, common, bench, bench::run_pack_bench, to_json, tell);
}

}  // namespace stoker::cli
