#include "pack/destination.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>

#include "base/result.hpp"
#include "pack/class_names.hpp"
#include "record/record_index.hpp"
#include "record/seek_index_place.hpp"
#include "record/text_index.hpp"
#include "store/local_store.hpp"

namespace stoker::packing {
namespace {

constexpr std::string_view kEnding = ".rec";
constexpr int kMaxThreads = 4096;
constexpr int kMaxShortSide = 65'535;

[[noreturn]] void refuse(std::string option, std::string found, std::string allowed,
                         std::string next_step = {}) {
  throw Error(ErrorCode::invalid_argument, {.operation = "pack",
                                            .object = std::move(option),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

void check_ranges(const PackOptions& options) {
  if (options.source.empty()) refuse("source", "it is empty", "a folder, x.lst or x.rec");
  if (options.resize_short < 0 || options.resize_short > kMaxShortSide) {
    refuse("resize-short", std::to_string(options.resize_short),
           fmt::format("1..{}, or 0 for none", kMaxShortSide));
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
  if (options.encode == Encode::png && options.quality) {
    refuse("quality", "given with encode png", "jpeg or keep", "PNG is lossless: leave quality out");
  }
  if (options.encode == Encode::png && options.subsampling != Subsampling::keep) {
    refuse("subsampling", "given with encode png", "jpeg or keep", "PNG has no subsampling: leave it out");
  }
}

// All that would only be met when the work is done and the files are put in place.
void check_names(const Destination& to) {
  for (const std::string& path :
       {to.shard, record::text_index_path(to.shard), record::record_index_path(to.shard), to.list, to.seek,
        to.skipped, to.manifest}) {
    std::error_code failed;
    if (std::filesystem::is_directory(store::local_path(path), failed))
      refuse("destination " + to.shard,
             fmt::format("{} is a folder, and a file is to be written there", path), "a file, or nothing",
             "move the folder away, or take another name");
  }
  const std::string name = std::filesystem::path(to.shard).filename().string();
  if (!is_utf8(name))
    refuse("destination " + printable(to.shard), "a name that is not UTF-8",
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

}  // namespace

Destination check_options(const PackOptions& options) {
  check_ranges(options);
  check_effects(options);
  const std::string& shard = options.destination;
  if (!std::string_view(shard).ends_with(kEnding) || std::filesystem::path(shard).filename() == kEnding) {
    throw Error(ErrorCode::unsupported, {.operation = "pack",
                                         .object = shard.empty() ? "(no destination)" : shard,
                                         .found = "an ending that this build does not write",
                                         .allowed = "NAME.rec"});
  }
  const std::string name = shard.substr(0, shard.size() - kEnding.size());
  Destination to{.shard = shard,
                 .list = name + ".lst",
                 .seek = record::seek_index_path(shard, RecordFormat::recordio),
                 .skipped = name + ".skipped.tsv",
                 .manifest = name + ".dataset.json"};
  check_names(to);
  for (const std::string& path :
       {to.shard, name + ".idx", shard + ".index", to.seek, to.skipped, to.manifest}) {
    if (!same_file(path, options.source)) continue;
    refuse("destination " + shard, fmt::format("{} would be overwritten, and it is the source", path),
           "another name", "pack to a new name, then move it");
  }
  if (same_file(to.list, options.source)) to.list.clear();
  return to;
}

}  // namespace stoker::packing
