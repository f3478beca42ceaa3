#include "pack/destination.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>

#include "base/result.hpp"
#include "pack/class_names.hpp"
#include "pack/image_plan.hpp"
#include "pack/packed_sample.hpp"
#include "record/record_index.hpp"
#include "record/seek_index_place.hpp"
#include "record/text_index.hpp"
#include "store/local_store.hpp"

namespace stoker::packing {
namespace {

constexpr int kMaxThreads = 4096;
constexpr std::uint64_t kMaxShards = 1'000'000;  // six digits
constexpr int kMaxSide = 65'535;

[[noreturn]] void refuse(std::string option, std::string found, std::string allowed,
                         std::string next_step = {}) {
  throw Error(ErrorCode::invalid_argument, {.operation = "pack",
                                            .object = std::move(option),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

void check_ranges(const PackOptions& options) {
  if (options.source.empty()) refuse("source", "it is empty", "a folder, x.lst, x.rec, x.tar, x.tfrecord");
  if (options.resize_short < 0 || options.resize_short > kMaxSide) {
    refuse("resize-short", std::to_string(options.resize_short),
           fmt::format("1..{}, or 0 for none", kMaxSide));
  }
  if (options.max_side < 0 || options.max_side > kMaxSide) {
    refuse("max-side", std::to_string(options.max_side), fmt::format("1..{}, or 0 for none", kMaxSide));
  }
  if (options.quality && (*options.quality < 1 || *options.quality > 100)) {
    refuse("quality", std::to_string(*options.quality), "1..100");
  }
  if (!(options.max_bad_share >= 0 && options.max_bad_share <= 1)) {
    refuse("max-bad-share", fmt::format("{}", options.max_bad_share), "a share, 0..1");
  }
  if (options.threads < 0 || options.threads > kMaxThreads) {
    refuse("threads", std::to_string(options.threads),
           fmt::format("1..{}, or 0 for the CPUs that may be used", kMaxThreads));
  }
  if (options.max_pixels == 0) refuse("max-pixels", "0", "1 or more");
}

// An option that nothing would follow from is a mistake to tell, not to ignore.
void check_effects(const PackOptions& options) {
  if (options.enlarge && options.resize_short == 0)
    refuse("enlarge", "given without resize-short", "both together");
  if (options.max_side > 0 && options.resize_short > 0) {
    refuse("max-side", "given with resize-short", "one of both",
           "both say how large images become: leave one out");
  }
  if (options.encode == Encode::png && options.quality) {
    refuse("quality", "given with encode png", "jpeg or keep", "PNG is lossless: leave quality out");
  }
  if (options.encode == Encode::png && options.baseline) {
    refuse("baseline", "given with encode png", "jpeg or keep", "no JPEG is written: leave it out");
  }
  if (options.encode == Encode::png && options.subsampling != Subsampling::keep) {
    refuse("subsampling", "given with encode png", "jpeg or keep", "PNG has no subsampling: leave it out");
  }
}

// What is wrong with the steps is told by canonical_text; with a command, when it runs.
void check_precompute(const PackOptions& options) {
  if (options.precompute.empty() && options.precompute_command.empty()) return;
  if (touches_pixels(options))
    refuse("precompute", "given with options of pixels", "one or the other",
           "let the command change the pixels, too");
  canonical_text(precompute_options(options));
}

void check_shards(const PackOptions& options) {
  if (options.shard_bytes > 0 && options.shards > 0) refuse("shards", "given with shard-size", "one of them");
  if (options.part.count == 0 || options.part.index >= options.part.count)
    refuse("part", fmt::format("{}/{}", options.part.index, options.part.count),
           "i/n with i from 0 to n - 1");
  if (options.part.count > 1 && options.shards == 0 && options.shard_bytes == 0)
    refuse("part", "given without shards", "with --shards or --shard-size", "say into how many shards, too");
  if (options.shards > kMaxShards)
    refuse("shards", std::to_string(options.shards), fmt::format("1..{}", kMaxShards));
}

// All that would only be met when the work is done and the files are put in place. Of shards whose number is
// not known yet the names are checked when it is.
void check_names(const Destination& to) {
  std::vector<std::string> paths = files_of_shard(to.name(), to.format);
  for (const std::string& path : {to.list, to.skipped, to.duplicates, to.manifest}) paths.push_back(path);
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!path.empty() && std::filesystem::is_directory(store::local_path(path), failed))
      refuse("destination " + to.name(),
             fmt::format("{} is a folder, and a file is to be written there", path), "a file, or nothing",
             "move the folder away, or take another name");
  }
  if (!is_utf8(to.stem))
    refuse("destination " + printable(to.name()), "a name that is not UTF-8",
           "a name that dataset.json can hold", "take another name");
}

bool same_file(const std::string& url_a, const std::string& url_b) {
  const std::string a = store::local_path(url_a), b = store::local_path(url_b);
  std::error_code failed;
  if (std::filesystem::equivalent(a, b, failed) && !failed) return true;
  const auto left = std::filesystem::weakly_canonical(a, failed);
  if (failed) return a == b;
  const auto right = std::filesystem::weakly_canonical(b, failed);
  return failed ? a == b : left == right;
}

// What is written into a folder that is read would be taken for samples, now or the next time.
bool lies_within(const std::string& url, const std::string& folder_url) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(store::local_path(folder_url), failed);
  if (failed || !std::filesystem::is_directory(folder, failed)) return false;
  const auto path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(store::local_path(url), failed), failed);
  const auto [rest, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return !failed && rest == folder.end();
}

std::string_view ending_of(RecordFormat format) {
  return format == RecordFormat::tar ? ".tar" : format == RecordFormat::tfrecord ? ".tfrecord" : ".rec";
}

}  // namespace

std::vector<std::string> files_of_shard(const std::string& shard, RecordFormat format) {
  std::vector<std::string> files;
  if (format == RecordFormat::recordio) files.push_back(record::text_index_path(shard));
  if (format == RecordFormat::tfrecord) files.push_back(shard + ".idx");
  files.push_back(record::record_index_path(shard));
  files.push_back(shard);
  files.push_back(record::seek_index_path(shard, format));
  return files;
}

Destination destination_of(const PackOptions& options) {
  const std::string& path = options.destination;
  const std::size_t name_at = path.rfind('/') + 1;  // 0 if there is no slash
  Destination to{.folder = path.substr(0, name_at), .stem = path.substr(name_at)};
  const std::optional<RecordFormat> by_ending = format_of_ending(path);
  to.format = options.format.value_or(by_ending.value_or(RecordFormat::recordio));
  to.ending = ending_of(to.format);
  const bool has_its_ending = to.stem.ends_with(to.ending);
  if (has_its_ending) to.stem.resize(to.stem.size() - to.ending.size());
  const bool other_ending = !has_its_ending && to.stem.find('.') != std::string::npos;
  if (to.stem.empty() || has_own_files(to.format) || to.format == RecordFormat::mds ||
      (by_ending && *by_ending != to.format) || (other_ending && !options.format))
    throw Error(ErrorCode::unsupported,
                {.operation = "pack",
                 .object = path.empty() ? "(no destination)" : path,
                 .found = path.ends_with('/') ? std::string("a folder, and no name for the shards in it")
                          : by_ending && *by_ending != to.format
                              ? fmt::format("an ending that is not that of --format {}", to_string(to.format))
                              : std::string("an ending that this build does not write"),
                 .allowed = "NAME.rec, NAME.tar, NAME.tfrecord"});
  const std::string name = to.folder + to.stem;
  if (to.format == RecordFormat::recordio) to.list = name + ".lst";
  to.skipped = name + ".skipped.tsv";
  to.duplicates = name + ".duplicates.tsv";
  to.manifest = name + ".dataset.json";
  to.work = name + ".packing";
  return to;
}

Destination check_options(const PackOptions& options) {
  check_ranges(options);
  check_effects(options);
  check_shards(options);
  check_precompute(options);
  Destination to = destination_of(options);
  check_names(to);
  std::vector<std::string> written = files_of_shard(to.name(), to.format);
  for (const std::string& path : {to.skipped, to.duplicates, to.manifest}) written.push_back(path);
  for (const std::string& path : written) {
    if (!same_file(path, options.source)) continue;
    refuse("destination " + to.name(), fmt::format("{} would be overwritten, and it is the source", path),
           "another name", "pack to a new name, then move it");
  }
  if (lies_within(to.name(), options.source))
    refuse("destination " + to.name(), fmt::format("it lies in {}, the folder that is read", options.source),
           "a place outside of it", "pack to another folder");
  if (!to.list.empty() && same_file(to.list, options.source)) to.list.clear();
  return to;
}

}  // namespace stoker::packing
