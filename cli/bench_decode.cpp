// stoker bench decode SOURCE
#include <array>
#include <fmt/format.h>
#include <memory>
#include <span>

#include "stoker/store.hpp"

#include "base/units.hpp"
#include "bench/decode_bench.hpp"
#include "bench/decode_picture.hpp"
#include "cli/bench_common.hpp"

namespace stoker::cli {

namespace {

constexpr std::array kForms{Choice<bench::SampleForm>{"keep", bench::SampleForm::keep},
                            Choice<bench::SampleForm>{"420", bench::SampleForm::ycc420},
                            Choice<bench::SampleForm>{"444", bench::SampleForm::ycc444}};
constexpr std::array kSources{Choice<bench::SampleSource>{"memory", bench::SampleSource::memory},
                              Choice<bench::SampleSource>{"cache", bench::SampleSource::cache},
                              Choice<bench::SampleSource>{"cold", bench::SampleSource::cold}};

Json error_json(const bench::RouteCheck& check) {
  if (check.exact || !check.error) return nullptr;
  const bench::PixelError& error = *check.error;
  return {{"mean", measured(error.mean)},
          {"max", error.max},
          {"psnr_db", measured(error.psnr_db)},
          {"worst_psnr_db", measured(error.worst_psnr_db)},
          {"worst_key", error.worst_key}};
}

Json machine_json(const bench::Machine& machine) {
  const auto known = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"processor", known(machine.processor)}, {"cpus", machine.cpus},
          {"instructions", machine.instructions},  {"turbo_version", known(machine.turbo)},
          {"compiler", known(machine.compiler)},   {"date", machine.date}};
}

Json to_json(const bench::DecodeBenchReport& report) {
  Json json = json_object("bench.decode");
  json["rows"] = Json::array();
  for (const bench::DecodeRow& row : report.rows) {
    json["rows"].push_back({{"name", row.name},
                            {"images_per_s", spread_json(row.images_per_s)},
                            {"ratio_to_turbo", spread_json(row.ratio_to_turbo)},
                            {"baseline", row.baseline},
                            {"exact", row.check.exact},
                            {"error", error_json(row.check)},
                            {"turbo_images", row.check.turbo_images}});
  }
  json["images"] = report.images;
  json["skipped"] = report.skipped;
  json["first_skipped"] = report.first_skipped.empty() ? Json(nullptr) : Json(report.first_skipped);
  json["mean_bytes"] = measured(report.mean_bytes);
  json["mean_seek_bytes"] = measured(report.mean_seek_bytes);
  json["mean_megapixels"] = measured(report.mean_megapixels);
  json["runs"] = report.runs;
  json["as"] = bench::to_string(report.as);
  json["from"] = bench::to_string(report.from);
  json["mean_storage_bytes"] = measured(report.mean_storage_bytes);
  json["machine"] = machine_json(report.machine);
  return json;
}

// "yes", or how far off.
std::string told_error(const bench::RouteCheck& check) {
  if (check.exact) return "yes";
  if (!check.error) return "no: another shape";
  return fmt::format("no: mean {:.2f}, max {}, {:.1f} dB, worst {:.1f} dB", check.error->mean,
                     check.error->max, check.error->psnr_db, check.error->worst_psnr_db);
}

std::string told_source(const bench::DecodeBenchReport& report) {
  switch (report.from) {
    case bench::SampleSource::memory:
      return "held in memory, CPU time of one thread";
    case bench::SampleSource::cache:
      return "read from the page cache, wall time of one thread";
    case bench::SampleSource::cold:
      break;
  }
  const std::string fetched = report.mean_storage_bytes ? fmt::format("{:.0f} kB an image came from storage",
                                                                      *report.mean_storage_bytes / 1000)
                                                        : "what came from storage is not known";
  return fmt::format("read with the page cache dropped ({}), wall time of one thread", fetched);
}

void tell(const bench::DecodeBenchReport& report, Output& out) {
  Table table({"route", "images/s", "ratio (min-max)", "to", "same pixels"});
  for (const bench::DecodeRow& row : report.rows)
    table.row({row.name, short_number(row.images_per_s.median), told(row.ratio_to_turbo), row.baseline,
               told_error(row.check)});
  print(table, out);
  const std::string form =
      report.as == bench::SampleForm::keep
          ? ""
          : fmt::format(" made {} at quality {}", bench::to_string(report.as), bench::kTranscodeQuality);
  out.line(fmt::format("{}{}, {:.0f} kB and {:.2f} Mpixel on average; seek points {:.2f} % of the bytes",
                       counted(report.images, "image"), form, report.mean_bytes / 1000,
                       report.mean_megapixels, 100 * report.mean_seek_bytes / report.mean_bytes));
  out.line(fmt::format("{}; {} runs after a warm-up", told_source(report), report.runs));
  for (const bench::DecodeRow& row : report.rows) {
    if (row.name.starts_with("turbo_") || row.check.turbo_images == 0) continue;
    out.line(
        fmt::format("left to libjpeg-turbo by our routes: {}", counted(row.check.turbo_images, "image")));
    break;
  }
  if (report.skipped > 0)
    out.line(printable(fmt::format("left out of every route: {}, first {}", counted(report.skipped, "image"),
                                   report.first_skipped)));
}

std::vector<std::string> parse_routes(std::string_view text) {
  const std::vector<std::string> known = bench::decode_route_names();
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::vector<std::string> chosen;
  for (const std::string_view name : split(text, ',')) chosen.push_back(known[parse_name(name, names)]);
  return chosen;
}

}  // namespace

int run_bench_decode(const Call& call) {
  bench::DecodeBenchOptions bench;
  std::string picture;
  CommonOptions common;
  Options options("bench decode", "stoker bench decode train.rec --html decode.html",
                  "Every decode route beside plain libjpeg-turbo on the same images, one thread, in turns "
                  "within one run, after a warm-up that compares their pixels.");
  options.positional(bench.source, "SOURCE");
  options.integer(bench.runs, "--runs", "timed runs", {.low = 1, .high = 1000});
  options.integer(bench.limit, "--limit", "images taken, spread over the source", {.low = 1});
  options.choice(bench.as, "--as",
                 fmt::format("chroma; 420, 444: made anew, quality {}", bench::kTranscodeQuality), kForms);
  options.choice(bench.from, "--from", "where reading begins; cold: no page cached", kSources);
  options.text(picture, "--html", "FILE", "the result as a picture, too");
  options.custom("--routes", "A,B", "all", "only these, and their baselines",
                 [&bench](std::string_view text) { bench.routes.names = parse_routes(text); });
  options.begin_rare();
  options.integer(bench.routes.output_size, "--size", "side of the resized crops", {.low = 1, .high = 4096});
  options.seed(bench.routes.seed, "of the random crops");
  declare_max_pixels(options, bench.routes.max_pixels);
  declare_open(options, bench.open);
  if (!call.parse(options, common)) return kDone;

  // Made first: a place that cannot be written shows before the measurement, not behind it.
  std::unique_ptr<WritableFile> file;
  if (!picture.empty()) file = open_store(picture)->create(picture);
  const bench::DecodeBenchReport report = measure_with_talk(call, bench, bench::run_decode_bench);
  if (file) {
    const std::string page = bench::decode_picture(report, STOKER_VERSION);
    file->append(std::as_bytes(std::span(page)));
    file->commit();
  }
  print_report(call, common, report, to_json, tell);
  return kDone;
}

}  // namespace stoker::cli
