#include "pack/publisher.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "stoker/error.hpp"

#include "pack/duplicates.hpp"
#include "pack/manifest.hpp"
#include "pack/stop.hpp"
#include "pack/tally.hpp"
#include "pack/text_files.hpp"
#include "record/dataset_manifest.hpp"
#include "record/seek_index_place.hpp"
#include "store/file_lock.hpp"

namespace stoker::packing {

namespace {

constexpr std::size_t kDuplicatesNamed = 100;

class Publisher {
 public:
  Publisher(const PackOptions& options, const Destination& to, WorkFolder& work, const WorkPlan& plan,
            Store& store)
      : options_(options), to_(to), work_(work), plan_(plan), shards_(plan.shards), store_(store) {}

  PackReport run(const std::atomic<bool>* cancel) {
    ShardSummary sum;
    for (std::size_t shard = 0; shard < shards_.shards(); ++shard) add_summary(sum, summary_of(shard));
    PackReport& report = sum.report;
    report.classes = plan_.classes;
    report.passed_over = plan_.passed_over;
    report.other_files = plan_.other_files;
    report.repeated_ids = plan_.repeated_ids;
    report.shards_planned = shards_.shards();
    report.too_many_bad = too_many_bad(report, options_);
    if (report.too_many_bad) return std::move(report);

    const auto list = to_.list.empty() ? nullptr : joined(to_.list, "", &WorkFolder::list_path);
    const auto skipped =
        report.skipped_count == 0 ? nullptr : joined(to_.skipped, kSkippedHead, &WorkFolder::skipped_path);
    const auto duplicates = find_all_duplicates(report);
    record::DatasetManifest manifest = make_manifest(plan_.manifest_options, report, sum.source, to_);
    if (list) manifest.list = std::filesystem::path(to_.list).filename().string();
    const auto seal = record::prepare_manifest(store_, to_.manifest, manifest);
    seal->sync();
    stop_if(cancel, options_.source);

    const std::vector<std::string> old = shards_of_old_set();
    store_.remove(to_.manifest);
    put(list.get(), to_.list);
    put(skipped.get(), to_.skipped);
    put(duplicates.get(), to_.duplicates);
    std::set<std::string> written;
    for (std::size_t shard = 0; shard < shards_.shards(); ++shard) written.insert(move_shard(shard));
    for (const std::string& shard : old)
      if (!written.contains(shard)) remove_shard(shard);
    seal->commit();
    return std::move(report);
  }

 private:
  ShardSummary summary_of(std::size_t shard) const {
    std::optional<ShardSummary> summary = work_.summary(shards_, shard);
    if (!summary)
      throw Error(ErrorCode::internal, {.operation = "pack",
                                        .object = work_.shard_path(shards_, shard),
                                        .found = "a shard that is not finished"});
    return std::move(*summary);
  }

  // The texts of all shards behind `head`, durable under a temporary name.
  std::unique_ptr<LineFile> joined(const std::string& path, std::string_view head,
                                   std::string (WorkFolder::*of_shard)(const ShardPlan&, std::size_t) const) {
    auto file = std::make_unique<LineFile>(store_, path);
    file->add(head);
    std::string piece(std::size_t{1} << 20, '\0');
    for (std::size_t shard = 0; shard < shards_.shards(); ++shard) {
      const std::string part = (work_.*of_shard)(shards_, shard);
      if (!store_.info(part)) continue;
      const auto from = store_.open_read(part);
      for (std::uint64_t at = 0;
           const std::size_t got = from->read_at(at, std::as_writable_bytes(std::span(piece))); at += got)
        file->add(std::string_view(piece).substr(0, got));
    }
    file->sync();
    return file;
  }

  // None: there are none.
  std::unique_ptr<LineFile> find_all_duplicates(PackReport& report) {
    std::vector<std::string> checksums;
    for (std::size_t shard = 0; shard < shards_.shards(); ++shard)
      checksums.push_back(work_.checksums_path(shards_, shard));
    std::unique_ptr<LineFile> file;
    find_duplicates(store_, checksums, [&](const DuplicateSample& duplicate) {
      if (!file) {
        file = std::make_unique<LineFile>(store_, to_.duplicates);
        file->add(kDuplicatesHead);
      }
      file->add(duplicate_line(duplicate));
      if (++report.duplicates <= kDuplicatesNamed) report.first_duplicates.push_back(duplicate);
    });
    if (file) file->sync();
    return file;
  }

  // What is of no use any more goes.
  void put(LineFile* file, const std::string& path) {
    if (file)
      file->commit();
    else if (!path.empty())
      store_.remove(path);
  }

  // The shards that the older set of this name had; damaged descriptions are no hindrance to a new pack.
  std::vector<std::string> shards_of_old_set() const {
    std::vector<std::string> paths;
    try {
      const auto manifest = record::read_manifest(store_, to_.name());
      if (!manifest) return paths;
      for (const record::ManifestShard& shard : manifest->shards)
        if (is_inside(shard.path)) paths.push_back(to_.path(shard.path));
    } catch (const Error&) {
      paths.clear();
    }
    return paths;
  }

  // Of this set and no other: its names are made of its own.
  bool is_inside(const std::string& relative) const {
    return relative.starts_with(to_.stem) && relative.find("..") == std::string::npos &&
           format_of_ending(relative).has_value();
  }

  void remove_shard(const std::string& shard) {
    if (const auto format = format_of_ending(shard))
      for (const std::string& path : files_of_shard(shard, *format)) store_.remove(path);
  }

  // At no moment does an index lie beside a shard that it is not of. What is not in the work folder any more
  // was moved by a publisher that was stopped.
  std::string move_shard(std::size_t shard) {
    const std::string from = work_.shard_path(shards_, shard);
    const std::string to = to_.path(shards_.relative_path(shard));
    const std::string seek = record::seek_index_path(to, to_.format);
    const store::FileLock no_learner(seek);  // publishes an index of the old shard from here on
    const std::vector<std::string> sources = files_of_shard(from, to_.format);
    const std::vector<std::string> targets = files_of_shard(to, to_.format);
    if (store_.info(from)) store_.remove(seek);
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (store_.info(sources[i])) store_.rename(sources[i], targets[i]);
    return to;
  }

  const PackOptions& options_;
  const Destination& to_;
  WorkFolder& work_;
  const WorkPlan& plan_;
  const ShardPlan& shards_;
  Store& store_;
};

}  // namespace

PackReport publish(const PackOptions& options, const Destination& to, WorkFolder& work, const WorkPlan& plan,
                   Store& store, const std::atomic<bool>* cancel) {
  return Publisher(options, to, work, plan, store).run(cancel);
}

void check_old_set(const Destination& to, Store& store) {
  std::optional<record::DatasetManifest> manifest;
  try {
    manifest = record::read_manifest(store, to.name());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data && error.code() != ErrorCode::unsupported) throw;
  }
  if (!manifest) return;
  const std::string format = manifest->format.empty() ? "recordio" : manifest->format;
  if (format == to_string(to.format)) return;
  throw Error(ErrorCode::invalid_argument,
              {.operation = "pack",
               .object = "destination " + to.name(),
               .found = fmt::format("{} is there, of a set in the format {}", to.manifest, format),
               .allowed = "a name that no set of another format has",
               .next_step = "take another name, or remove that set"});
}

std::optional<PackReport> published_report(const Destination& to, Store& store) {
  const auto manifest = record::read_manifest(store, to.name());
  if (!manifest) return std::nullopt;
  PackReport report;
  report.inputs = manifest->source.samples;
  report.packed = manifest->records;
  report.skipped_count = manifest->skipped;
  report.bytes_in = manifest->source.bytes;
  report.bytes_out = manifest->bytes;
  report.classes = manifest->classes;
  report.shards_planned = report.shards_kept = manifest->shards.size();
  for (const record::ManifestShard& shard : manifest->shards)
    report.shards.push_back({to.path(shard.path), shard.records, shard.bytes, shard.crc32c});
  return report;
}

}  // namespace stoker::packing
