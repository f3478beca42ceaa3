// stoker bench decode SOURCE
#include <fmt/format.h>

#include "base/units.hpp"
#include "bench/decode_bench.hpp"
#include "cli/bench_common.hpp"

namespace stoker::cli {

namespace {

Json to_json(const bench::DecodeBenchReport& report) {
  Json json = json_object("bench.decode");
  json["rows"] = Json::array();
  for (const bench::DecodeRow& row : report.rows) {
    json["rows"].push_back({{"name", row.name},
                            {"images_per_s", spread_json(row.images_per_s)},
                            {"ratio_to_turbo", spread_json(row.ratio_to_turbo)},
                            {"baseline", row.baseline},
                            {"exact", row.exact}});
  }
  json["images"] = report.images;
  json["skipped"] = report.skipped;
  json["first_skipped"] = report.first_skipped.empty() ? Json(nullptr) : Json(report.first_skipped);
  json["mean_bytes"] = measured(report.mean_bytes);
  json["mean_megapixels"] = measured(report.mean_megapixels);
  json["runs"] = report.runs;
  return json;
}

void tell(const bench::DecodeBenchReport& report, Output& out) {
  Table table({"route", "images/s", "ratio (min-max)", "to", "same pixels"});
  for (const bench::DecodeRow& row : report.rows)
    table.row({row.name, short_number(row.images_per_s.median), told(row.ratio_to_turbo), row.baseline,
               row.exact ? "yes" : "no"});
  print(table, out);
  out.line(fmt::format(
      "{}, {:.0f} kB and {:.2f} Mpixel on average; {} runs after a warm-up, one thread, CPU time",
      counted(report.images, "image"), report.mean_bytes / 1000, report.mean_megapixels, report.runs));
  if (report.skipped > 0)
    out.line(printable(fmt::format("left out of every route: {}, first {}", counted(report.skipped, "image"),
                                   report.first_skipped)));
}

}  // namespace

int run_bench_decode(const Call& call) {
  bench::DecodeBenchOptions bench;
  CommonOptions common;
  Options options(
      "bench decode", "stoker bench decode train.rec",
      "Every decode route beside plain libjpeg-turbo on the same images, one thread, interleaved in one "
      "run after a warm-up that compares their pixels.");
  options.positional(bench.source, "SOURCE");
  options.integer(bench.runs, "--runs", "timed runs", {.low = 1, .high = 1000});
  options.integer(bench.limit, "--limit", "images taken, spread over the source", {.low = 1});
  options.integer(bench.output_size, "--size", "side of the resized crops", {.low = 1, .high = 4096});
  options.seed(bench.seed, "of the random crops");
  declare_max_pixels(options, bench.max_pixels);
  declare_open(options, bench.open);
  if (!call.parse(options, common)) return kDone;

  return measure_and_print(call, common, bench, bench::run_decode_bench, to_json, tell);
}

}  // namespace stoker::cli
