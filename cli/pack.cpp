// stoker pack SOURCE DEST
#include "stoker/pack.hpp"

#include <algorithm>
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

constexpr std::size_t kSkippedTold = 100;  // in JSON; NAME.skipped.tsv has all
constexpr std::size_t kSkippedNamed = 5;   // to people

void declare(Options& options, PackOptions& pack, bool& no_index, bool& dry_run) {
  static constexpr std::array<Choice<Encode>, 3> kEncodes{
      {{"keep", Encode::keep}, {"jpeg", Encode::jpeg}, {"png", Encode::png}}};
  static constexpr std::array<Choice<Subsampling>, 3> kSubsamplings{
      {{"keep", Subsampling::keep}, {"420", Subsampling::s420}, {"444", Subsampling::s444}}};
  static constexpr std::array<Choice<OnError>, 2> kOnErrors{
      {{"skip", OnError::skip}, {"raise", OnError::raise}}};
  static constexpr Range kSides{.low = 1, .high = 65500};
  options.positional(pack.source, "SOURCE");
  options.positional(pack.destination, "DEST");
  options.custom(
      "--resize-short", "N", "", "short side to N; smaller images pass untouched",
      [&pack](std::string_view text) { pack.resize_short = static_cast<int>(parse_integer(text, kSides)); });
  options.flag(pack.enlarge, "--enlarge", "smaller images too");
  options.flag(pack.center_crop, "--center-crop", "to the square, behind the resize");
  options.custom("--quality", "N", "90 where pixels change",
                 "of JPEGs written, 1..100; given alone it re-encodes all", [&pack](std::string_view text) {
                   pack.quality = static_cast<int>(parse_integer(text, {.low = 1, .high = 100}));
                 });
  options.choice(pack.encode, "--encode", "changed images as", kEncodes);
  options.choice(pack.subsampling, "--subsampling", "of JPEGs written", kSubsamplings);
  options.flag(no_index, "--no-index", "leave the seek index");
  options.choice(pack.on_error, "--on-error", "an unreadable image", kOnErrors);
  declare_max_bad_share(options, pack.max_bad_share);
  declare_max_pixels(options, pack.max_pixels);
  declare_open(options, pack.open);
  options.threads(pack.threads, "--threads", "same output for any");
  options.flag(dry_run, "--dry-run", "predict, write nothing");
}

Json to_json(const PackReport& report, bool dry_run) {
  Json json = json_object("pack");
  json["dry_run"] = dry_run;
  json["estimated"] = report.estimated;
  json["inputs"] = report.inputs;
  json["packed"] = report.packed;
  json["skipped"] = Json::array();
  for (const SkippedSample& sample : report.skipped) {
    if (json["skipped"].size() == kSkippedTold) break;
    json["skipped"].push_back({{"key", sample.key}, {"reason", sample.reason}});
  }
  json["skipped_count"] = report.skipped_count;
  json["warned_count"] = report.warned.size();
  json["changed"] = report.changed;
  json["bytes_in"] = report.bytes_in;
  json["bytes_out"] = report.bytes_out;
  json["indexed"] = report.indexed;
  json["not_indexable"] = report.not_indexable;
  json["index_bytes"] = report.index_bytes;
  json["shards"] = Json::array();
  for (const PackedShard& shard : report.shards) {
    json["shards"].push_back({{"path", shard.path},
                              {"records", shard.records},
                              {"bytes", shard.bytes},
                              {"crc32c", dry_run ? Json(nullptr) : Json(hex32(shard.crc32c))}});
  }
  json["classes"] = report.classes;
  json["passed_over"] = report.passed_over;
  json["images_per_s"] = measured(report.images_per_s);
  json["wall_s"] = measured(report.wall_s);
  json["cpu_s"] = measured(report.cpu_s);
  return json;
}

// What is reckoned, and not counted, is said to be "about" so much.
void tell(const PackReport& report, bool dry_run, const Call& call) {
  const char* about = report.estimated ? "about " : "";
  call.tell(fmt::format("{} {}{} of {}, {}{} skipped", dry_run ? "would pack" : "packed", about,
                        grouped(report.packed), counted(report.inputs, "image"), about,
                        grouped(report.skipped_count)));
  const std::size_t named = std::min(report.skipped.size(), kSkippedNamed);
  for (std::size_t i = 0; i < named; ++i)
    call.tell(fmt::format("  skipped {}: {}", report.skipped[i].key, report.skipped[i].reason));
  if (report.skipped_count > named)
    call.tell(fmt::format("  and {}{} more", about, grouped(report.skipped_count - named)));
  if (!report.warned.empty())
    call.tell(fmt::format("  packed with a complaint: {}, first {}: {}", report.warned.size(),
                          report.warned.front().key, report.warned.front().reason));
  for (const auto& [kind, images] : report.changed) call.tell(fmt::format("  {}: {}{}", kind, about, images));
  call.tell(fmt::format("{0}{1} in, {0}{2} out", about, format_bytes(report.bytes_in),
                        format_bytes(report.bytes_out)));
  if (!report.classes.empty()) call.tell(counted(report.classes.size(), "class name"));
  for (const std::string& folder : report.passed_over)
    call.tell(fmt::format("  passed over {}: a hidden folder is no class", folder));
  for (const PackedShard& shard : report.shards)
    call.tell(fmt::format("{0}: {1}{2}, {1}{3}", shard.path, about, counted(shard.records, "record"),
                          format_bytes(shard.bytes)));
  if (report.index_bytes > 0)
    call.tell(fmt::format("seek index: {0}{1} of them indexed, {0}{2}", about, grouped(report.indexed),
                          format_bytes(report.index_bytes)));
  for (const auto& [reason, images] : report.not_indexable)
    call.tell(fmt::format("  without points, {}: {}{}", reason, about, grouped(images)));
  call.tell(fmt::format("{0}{1} images/s, {0}{2} wall, {0}{3} CPU", dry_run ? "about " : "",
                        short_number(report.images_per_s), format_duration(report.wall_s),
                        format_duration(report.cpu_s)));
}

}  // namespace

int run_pack(const Call& call) {
  PackOptions pack;
  CommonOptions common;
  bool no_index = false, dry_run = false;
  Options options(
      "pack", "stoker pack photos/ train.rec --resize-short 256 --quality 90",
      "Writes the images of a folder (sub-folders are classes), x.lst or x.rec as a RecordIO container "
      "with its index and manifest. Without options bytes pass untouched.");
  declare(options, pack, no_index, dry_run);
  if (!call.parse(options, common)) return kDone;
  pack.seek_index = !no_index;

  PackReport report;
  if (dry_run) {
    report = plan_pack(pack);
  } else {
    Progress progress(call.talk, "images");
    report = stoker::pack(
        pack,
        [&](const PackProgress& now) {
          progress.update(now.done, now.total, now.skipped > 0 ? fmt::format("{} skipped", now.skipped) : "");
        },
        &stop_requested());
  }
  if (common.json) {
    call.out.line(json_line(to_json(report, dry_run)));
  } else {
    tell(report, dry_run, call);
  }
  if (!report.too_many_bad) return kDone;
  call.talk.error(fmt::format(
      "{} of {} could not be packed, more than --max-bad-share {} allows; nothing was written to {}",
      report.skipped_count, counted(report.inputs, "image"), format_number(pack.max_bad_share),
      pack.destination));
  return kFailed;
}

}  // namespace stoker::cli
