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
#include "pack/precompute.hpp"

namespace stoker::cli {

namespace {

constexpr std::size_t kSkippedTold = 100;  // in JSON; NAME.skipped.tsv has all
constexpr std::size_t kSkippedNamed = 5;   // to people
constexpr std::size_t kShardsNamed = 5;

// "1/3": the second of three.
PackPart parse_part(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    throw UsageError(fmt::format("'{}': allowed: i/n, for example 0/3", text));
  constexpr Range kParts{.low = 0, .high = 1e6};
  const auto index = static_cast<std::uint64_t>(parse_integer(text.substr(0, slash), kParts));
  const auto count = static_cast<std::uint64_t>(parse_integer(text.substr(slash + 1), kParts));
  if (index >= count) throw UsageError(fmt::format("'{}': allowed: i/n with i from 0 to n - 1", text));
  return {index, count};
}

std::string parse_precompute(std::string_view text) {
  std::string steps(text);
  try {
    packing::canonical_text({.steps = steps});
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  return steps;
}

void declare_shards(Options& options, PackOptions& pack) {
  static constexpr std::array<Choice<RecordFormat>, 3> kFormats{
      {{"rec", RecordFormat::recordio}, {"tar", RecordFormat::tar}, {"tfrecord", RecordFormat::tfrecord}}};
  static constexpr std::array<std::string_view, 3> kNames{kFormats[0].name, kFormats[1].name,
                                                          kFormats[2].name};
  options.custom("--format", "rec|tar|tfrecord", "by DEST's ending", "of the shards",
                 [&pack](std::string_view text) { pack.format = kFormats[parse_name(text, kNames)].value; });
  options.custom("--shard-size", "SIZE", "", "about, of each shard: 256MiB",
                 [&pack](std::string_view text) { pack.shard_bytes = parse_size(text, 1); });
  options.custom("--shards", "N", "1", "so many", [&pack](std::string_view text) {
    pack.shards = static_cast<std::uint64_t>(parse_integer(text, {.low = 1, .high = 1e6}));
  });
  options.custom("--part", "i/n", "", "the shards of process i of n; then --merge",
                 [&pack](std::string_view text) { pack.part = parse_part(text); });
  options.flag(pack.resume, "--resume", "go on with an interrupted pack");
}

void declare_pixels(Options& options, PackOptions& pack) {
  static constexpr std::array<Choice<Encode>, 3> kEncodes{
      {{"keep", Encode::keep}, {"jpeg", Encode::jpeg}, {"png", Encode::png}}};
  static constexpr std::array<Choice<Subsampling>, 3> kSubsamplings{
      {{"keep", Subsampling::keep}, {"420", Subsampling::s420}, {"444", Subsampling::s444}}};
  static constexpr Range kSides{.low = 1, .high = 65500};
  options.custom(
      "--resize-short", "N", "", "short side to N; smaller images pass untouched",
      [&pack](std::string_view text) { pack.resize_short = static_cast<int>(parse_integer(text, kSides)); });
  options.flag(pack.enlarge, "--enlarge", "smaller images too");
  options.custom("--max-side", "N", "", "long side to at most N", [&pack](std::string_view text) {
    pack.max_side = static_cast<int>(parse_integer(text, kSides));
  });
  options.flag(pack.center_crop, "--center-crop", "to the square, behind the resize");
  options.custom("--quality", "N", "90", "of JPEGs written; alone it re-encodes all",
                 [&pack](std::string_view text) {
                   pack.quality = static_cast<int>(parse_integer(text, {.low = 1, .high = 100}));
                 });
  options.choice(pack.encode, "--encode", "changed images as", kEncodes);
  options.choice(pack.subsampling, "--subsampling", "of JPEGs written", kSubsamplings);
  options.flag(pack.baseline, "--baseline", "other JPEGs made baseline, without loss");
  options.flag(pack.upright, "--upright", "turned by EXIF, without loss if possible");
}

void declare_rare(Options& options, PackOptions& pack, bool& merge, bool& no_index) {
  static constexpr std::array<Choice<OnError>, 2> kOnErrors{
      {{"skip", OnError::skip}, {"raise", OnError::raise}}};
  options.begin_rare();
  options.flag(merge, "--merge", "put all parts in place");
  options.custom("--precompute", "STEPS", "", "on .npy: spectrogram(window=256)",
                 [&pack](std::string_view text) { pack.precompute = parse_precompute(text); });
  options.text(pack.precompute_command, "--precompute-command", "CMD", "on any bytes");
  options.flag(pack.drop_fields, "--drop-fields", "leave what rec cannot hold");
  options.custom("--label-offset", "K", "0", "added to labels", [&pack](std::string_view text) {
    pack.label_offset = parse_integer(text, {.low = -1e6, .high = 1e6});
  });
  options.flag(no_index, "--no-index", "leave the seek index");
  options.choice(pack.on_error, "--on-error", "an unreadable image", kOnErrors);
  declare_max_bad_share(options, pack.max_bad_share);
  declare_max_pixels(options, pack.max_pixels);
  declare_open(options, pack.open);
  options.threads(pack.threads, "--threads", "same output for any");
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
  json["warned_count"] = report.warned_count;
  json["changed"] = report.changed;
  json["kept"] = report.kept;
  json["dropped_fields"] = report.dropped_fields;
  json["duplicates"] = dry_run ? Json(nullptr) : Json(report.duplicates);
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
  json["shards_kept"] = report.shards_kept;
  json["waits_for_merge"] = report.waits_for_merge;
  json["classes"] = report.classes;
  json["passed_over"] = report.passed_over;
  json["other_files"] = dry_run ? Json(nullptr) : Json(report.other_files);
  json["repeated_ids"] = dry_run ? Json(nullptr) : Json(report.repeated_ids);
  json["images_per_s"] = measured(report.images_per_s);
  json["wall_s"] = measured(report.wall_s);
  json["cpu_s"] = measured(report.cpu_s);
  return json;
}

void tell_shards(const PackReport& report, const char* about, const Call& call) {
  for (std::size_t i = 0; i < std::min(report.shards.size(), kShardsNamed); ++i) {
    const PackedShard& shard = report.shards[i];
    call.tell(fmt::format("{0}: {1}{2}, {1}{3}", shard.path, about, counted(shard.records, "record"),
                          format_bytes(shard.bytes)));
  }
  if (report.shards.size() > kShardsNamed)
    call.tell(fmt::format("and {} more shards", report.shards.size() - kShardsNamed));
}

// What is reckoned, and not counted, is said to be "about" so much.
void tell(const PackReport& report, bool dry_run, const Call& call) {
  const char* about = report.estimated ? "about " : "";
  const char* done = dry_run ? "would pack" : report.too_many_bad ? "could have packed" : "packed";
  call.tell(fmt::format("{} {}{} of {}, {}{} skipped", done, about, grouped(report.packed),
                        counted(report.inputs, "image"), about, grouped(report.skipped_count)));
  const std::size_t named = std::min(report.skipped.size(), kSkippedNamed);
  for (std::size_t i = 0; i < named; ++i)
    call.tell(fmt::format("  skipped {}: {}", report.skipped[i].key, report.skipped[i].reason));
  if (report.skipped_count > named)
    call.tell(fmt::format("  and {}{} more", about, grouped(report.skipped_count - named)));
  if (!report.warned.empty())
    call.tell(fmt::format("  packed with a complaint: {}, first {}: {}", report.warned_count,
                          report.warned.front().key, report.warned.front().reason));
  for (const auto& [kind, images] : report.changed) call.tell(fmt::format("  {}: {}{}", kind, about, images));
  for (const auto& [reason, images] : report.kept)
    call.tell(fmt::format("  left as they are, {}: {}{}", reason, about, images));
  call.tell(fmt::format("{0}{1} in, {0}{2} out", about, format_bytes(report.bytes_in),
                        format_bytes(report.bytes_out)));
  if (!report.classes.empty()) call.tell(counted(report.classes.size(), "class name"));
  for (const std::string& folder : report.passed_over)
    call.tell(fmt::format("  passed over {}: a hidden folder is no class", folder));
  for (const std::string& files : report.other_files)
    call.tell(fmt::format("  passed over {}: named as neither image nor array", files));
  if (report.repeated_ids > 0)
    call.tell(fmt::format(
        "  {} of the list with the id of an earlier line: who looks records up by id finds one of them",
        counted(report.repeated_ids, "line")));
  for (const auto& [name, samples] : report.dropped_fields)
    call.tell(fmt::format("  left out the field {}: of {}{}", name, about, counted(samples, "sample")));
  if (report.duplicates > 0)
    call.tell(fmt::format("  duplicates: {}, the first: sample {} is sample {}", grouped(report.duplicates),
                          report.first_duplicates.front().sample, report.first_duplicates.front().same_as));
  if (!report.too_many_bad) tell_shards(report, about, call);
  if (report.shards_kept > 0)
    call.tell(fmt::format("{} of them finished before", counted(report.shards_kept, "shard")));
  if (report.waits_for_merge)
    call.tell("this part is finished; when all are, --merge instead of --part puts them in place");
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
  bool no_index = false, dry_run = false, merge = false;
  Options options(
      "pack", "stoker pack photos/ train.rec --resize-short 256 --quality 90",
      "Writes the samples of a folder (sub-folders are classes), list or container as shards with their "
      "indexes and manifest. Without options bytes pass untouched.");
  options.positional(pack.source, "SOURCE");
  options.positional(pack.destination, "DEST");
  declare_pixels(options, pack);
  declare_shards(options, pack);
  options.flag(dry_run, "--dry-run", "predict, write nothing");
  declare_rare(options, pack, merge, no_index);
  if (!call.parse(options, common)) return kDone;
  pack.seek_index = !no_index;

  PackReport report;
  if (merge && pack.part.count > 1) throw UsageError("--merge or --part, not both");
  if (!pack.precompute.empty() && !pack.precompute_command.empty())
    throw UsageError("--precompute or --precompute-command, not both");
  if (dry_run) {
    report = plan_pack(pack);
  } else if (merge) {
    report = merge_pack(pack);
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
