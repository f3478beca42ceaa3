// stoker index SOURCE
#include "stoker/index.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/exit_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/verbs.hpp"

namespace stoker::cli {

namespace {

Json to_json(const IndexReport& report) {
  Json json = json_object("index");
  json["records"] = report.records;
  json["indexed"] = report.indexed;
  json["not_indexable"] = report.not_indexable;
  json["bytes"] = report.bytes;
  json["index_bytes"] = report.index_bytes;
  json["path"] = report.index_path;
  json["index_files"] = report.index_files;
  json["images_per_s"] = measured(report.images_per_s);
  json["wall_s"] = measured(report.wall_s);
  json["cpu_s"] = measured(report.cpu_s);
  return json;
}

void tell(const IndexReport& report, const Call& call) {
  const double percent =
      report.bytes == 0 ? 0
                        : 100.0 * static_cast<double>(report.index_bytes) / static_cast<double>(report.bytes);
  call.tell(fmt::format("indexed {} of {}", grouped(report.indexed), counted(report.records, "image")));
  for (const auto& [reason, images] : report.not_indexable)
    call.tell(fmt::format("  without points, {}: {}", reason, grouped(images)));
  const std::string others =
      report.index_files > 1 ? fmt::format(" and {} more", grouped(report.index_files - 1)) : "";
  call.tell(fmt::format("{}{}: {}, {:.2f} % of the images' {}", report.index_path, others,
                        format_bytes(report.index_bytes), percent, format_bytes(report.bytes)));
  call.tell(fmt::format("{} images/s, {} wall, {} CPU", short_number(report.images_per_s),
                        format_duration(report.wall_s), format_duration(report.cpu_s)));
}

}  // namespace

int run_index(const Call& call) {
  IndexOptions index;
  CommonOptions common;
  Options options("index", "stoker index train.rec",
                  "Writes the seek index of a source, beside each of its containers: where decoding may begin "
                  "within each JPEG, so that training decodes only its crops. The data stays as it is.");
  options.positional(index.source, "SOURCE");
  options.custom("--interval", "N", "as the picture is wide",
                 "MCUs between points, 1..64; half if subsampled", [&index](std::string_view text) {
                   index.interval = static_cast<int>(parse_integer(text, {.low = 1, .high = 64}));
                 });
  declare_open(options, index.open);
  options.threads(index.threads, "--threads", "same index for any");
  if (!call.parse(options, common)) return kDone;

  IndexReport report;
  {
    Progress progress(call.talk, "images");
    report = build_seek_index(
        index, [&](const IndexProgress& now) { progress.update(now.done, now.total); }, &stop_requested());
  }
  if (common.json) {
    call.out.line(json_line(to_json(report)));
  } else {
    tell(report, call);
  }
  return kDone;
}

}  // namespace stoker::cli
