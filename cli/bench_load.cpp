// stoker bench load SOURCE
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/units.hpp"
#include "bench/load_bench.hpp"
#include "cli/bench_common.hpp"

namespace stoker::cli {

namespace {

std::string thread_name(int threads) { return threads == 0 ? "auto" : fmt::format("{}", threads); }

std::string thread_names(const std::vector<int>& threads) {
  std::vector<std::string> names;
  names.reserve(threads.size());
  for (const int one : threads) names.push_back(thread_name(one));
  return fmt::format("{}", fmt::join(names, ","));
}

// A cost below zero is one that the stages' clocks could not resolve on busy CPUs: unknown, not 0.
Json if_resolved(double cost_us) { return cost_us < 0 ? Json(nullptr) : measured(cost_us); }

Json cost_json(const std::optional<bench::LoaderCost>& cost) {
  if (!cost) return nullptr;
  return {{"us_per_image", spread_json(cost->us_per_image)},
          {"us_per_batch", spread_json(cost->us_per_batch)},
          {"threads", cost->threads},
          {"batch_sizes", cost->batch_sizes},
          {"images", cost->images},
          {"plain_us_per_image", measured(cost->plain_us_per_image)}};
}

Json to_json(const bench::LoadBenchReport& report) {
  Json json = json_object("bench.load");
  json["rows"] = Json::array();
  for (const bench::LoadRow& row : report.rows) {
    json["rows"].push_back({{"threads", row.threads == 0 ? Json("auto") : Json(row.threads)},
                            {"images_per_s", measured(row.images_per_s.median)},
                            {"images_per_cpu_s", measured(row.images_per_cpu_s)},
                            {"ratio_to_turbo_per_core", measured(row.ratio_to_turbo_per_core.median)},
                            {"peak_rss_mib", measured(row.peak_rss_mib)},
                            {"tuned_threads", row.tuned_threads},
                            {"speedup", spread_json(row.speedup)},
                            {"images_per_s_spread", spread_json(row.images_per_s)},
                            {"ratio_to_turbo_spread", spread_json(row.ratio_to_turbo_per_core)},
                            {"overhead_us_per_image", if_resolved(row.overhead_us_per_image)},
                            {"overhead_us_per_batch", if_resolved(row.overhead_us_per_batch)}});
  }
  json["turbo_images_per_cpu_s"] = spread_json(report.turbo_images_per_cpu_s);
  json["cost"] = cost_json(report.cost);
  const DecodeCounts& decoded = report.decoded;
  json["decoded"] = {{"seek", decoded.seek},
                     {"own", decoded.own},
                     {"turbo", decoded.turbo},
                     {"other", decoded.other},
                     {"points_failed", decoded.points_failed},
                     {"learned", decoded.learned}};
  json["samples"] = report.samples;
  json["bad_samples"] = report.bad_samples;
  json["recipe"] = report.recipe;
  json["batch_size"] = report.batch_size;
  json["batch_ring_mib"] = measured(report.batch_ring_mib);
  json["rss_slope_percent"] = measured(report.rss_slope_percent);
  json["epoch_rss_mib"] = Json::array();
  for (const double median : report.epoch_rss_mib) json["epoch_rss_mib"].push_back(measured(median));
  json["epoch_peak_rss_mib"] = Json::array();
  for (const double peak : report.epoch_peak_rss_mib) json["epoch_peak_rss_mib"].push_back(measured(peak));
  return json;
}

void tell(const bench::LoadBenchReport& report, Output& out) {
  Table table({"threads", "images/s", "speed-up (min-max)", "images/CPU s", "to turbo", "peak MiB"});
  for (const bench::LoadRow& row : report.rows) {
    const std::string threads =
        row.threads == 0 ? fmt::format("auto: {}", row.tuned_threads) : thread_name(row.threads);
    table.row({threads, short_number(row.images_per_s.median), told(row.speedup),
               short_number(row.images_per_cpu_s), short_number(row.ratio_to_turbo_per_core.median),
               short_number(row.peak_rss_mib)});
  }
  print(table, out);
  out.line(printable(fmt::format("{}, batches of {}, {}", counted(report.samples, "sample"),
                                 report.batch_size, report.recipe)));
  out.line(fmt::format("libjpeg-turbo, full decode alone: {} images per CPU second",
                       short_number(report.turbo_images_per_cpu_s.median)));
  if (report.cost)
    out.line(fmt::format("the loader's own cost: {:.1f} us an image, {:.0f} us a batch",
                         report.cost->us_per_image.median, report.cost->us_per_batch.median));
  if (report.rss_slope_percent)
    out.line(fmt::format("memory: {} MiB, {} MiB of it the batch ring; over {} epochs {:+.2f} %",
                         short_number(report.epoch_rss_mib.back()), short_number(report.batch_ring_mib),
                         report.epoch_rss_mib.size(), *report.rss_slope_percent));
  if (const std::string text = to_string(report.decoded); !text.empty()) out.line(printable(text));
  if (report.bad_samples > 0) out.line(counted(report.bad_samples, "bad sample"));
}

}  // namespace

int run_bench_load(const Call& call) {
  bench::LoadBenchOptions bench;
  CommonOptions common;
  Options options("bench load", "stoker bench load train.rec --threads 1,2,auto",
                  "The loader at several thread numbers, beside one core of plain libjpeg-turbo, interleaved "
                  "in one run.");
  options.positional(bench.source, "SOURCE");
  declare_recipe(options, bench.recipe);
  options.custom("--threads", "N,N,auto", thread_names(bench.threads), "thread numbers to try",
                 [&bench](std::string_view text) { bench.threads = parse_thread_list(text); });
  options.integer(bench.batch_size, "--batch-size", "images", {.low = 1, .high = 65536});
  options.custom("--seconds", "T", format_number(bench.seconds), "for each thread number: 10, 500ms, 2m",
                 [&bench](std::string_view text) { bench.seconds = parse_seconds(text); });
  options.integer(bench.rounds, "--rounds", "that visit every thread number", {.low = 1, .high = 1000});
  options.custom("--epochs", "N", "3; beyond 20,000 samples: 0",
                 "read whole behind a warm-up one, for the slope of the memory; below 2: not measured",
                 [&bench](std::string_view text) {
                   bench.epochs = static_cast<int>(parse_integer(text, {.low = 0, .high = 1000}));
                 });
  options.integer(bench.cost_turns, "--cost-turns",
                  "a round, within the seconds, for the loader's own cost; 0: not measured",
                  {.low = 0, .high = 1000});
  options.seed(bench.seed, "of order and crops");
  declare_pixels(options, bench.pixels);
  declare_max_pixels(options, bench.max_pixels);
  declare_open(options, bench.open);
  declare_seek_points(options, bench.learn, bench.open.check_bytes);
  if (!call.parse(options, common)) return kDone;

  return measure_and_print(call, common, bench, bench::run_load_bench, to_json, tell);
}

}  // namespace stoker::cli
