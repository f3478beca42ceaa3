// Holds a source's indexes and its description against its records.
#include <algorithm>
#include <fmt/format.h>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

#include "record/check_seek_index.hpp"
#include "record/container_format.hpp"
#include "record/manifest_finder.hpp"
#include "record/open_container.hpp"
#include "record/record_index.hpp"
#include "record/seek_index_place.hpp"
#include "record/text_index.hpp"
#include "record/tfrecord_index.hpp"
#include "store/crc_of_file.hpp"

namespace stoker {

namespace record {

namespace {

constexpr std::size_t kMostReports = 1000;  // of one index: more tells no more

// Where records really begin, and the stretches that are damaged, of which an index may say anything.
struct Truth {
  struct Stretch {
    std::uint64_t begin, end;
  };
  std::vector<std::uint64_t> records;
  std::vector<std::uint64_t> ends;  // of each
  std::vector<Stretch> damaged;

  bool in_damage(std::uint64_t offset) const {
    const auto behind =
        std::upper_bound(damaged.begin(), damaged.end(), offset,
                         [](std::uint64_t at, const Stretch& stretch) { return at < stretch.begin; });
    return behind != damaged.begin() && offset < std::prev(behind)->end;
  }
  bool is_record(std::uint64_t offset) const {
    return std::binary_search(records.begin(), records.end(), offset);
  }
  std::uint64_t bytes_of(std::uint64_t record) const {
    const auto at = std::lower_bound(records.begin(), records.end(), record) - records.begin();
    return ends[static_cast<std::size_t>(at)] - record;
  }
};

Truth walk_past_damage(const ContainerFormat& format, const ReadableFile& container) {
  WindowReader window(container);
  Truth truth;
  std::uint64_t offset = 0;
  while (offset < container.bytes()) {
    const Walked walked = format.walk_record(window, offset, container.bytes());
    if (walked.damage) {
      const std::uint64_t resume =
          format.find_record(window, walked.resume, container.bytes()).value_or(container.bytes());
      truth.damaged.push_back({offset, resume});
      offset = resume;
    } else {
      if (walked.is_record) {
        truth.records.push_back(offset);
        truth.ends.push_back(walked.end);
      }
      offset = walked.end;
    }
  }
  return truth;
}

// The text index that the format's own tools put beside a container.
struct TextIndexKind {
  std::string path;       // empty: they put none
  std::string_view line;  // what each holds
  void (*read)(const ReadableFile&, const std::function<bool(const TextIndexLine&)>&) = nullptr;
};

TextIndexKind text_index_of(RecordFormat format, const std::string& container) {
  if (format == RecordFormat::recordio)
    return {text_index_path(container), "key, tab, offset", &read_text_index};
  if (format == RecordFormat::tfrecord)
    return {tfrecord_index_path(container), "offset, blank, length", &read_tfrecord_index};
  return {};
}

class Checker {
 public:
  Checker(const ContainerFormat& format, Store& store, const ReadableFile& container,
          ManifestFinder& manifests)
      : format_(format),
        store_(store),
        container_(container),
        manifests_(manifests),
        text_index_(text_index_of(format.format(), container.path())) {}

  std::vector<BadRecord> check() {
    const auto text = text_index_.path.empty() ? nullptr : open(text_index_.path);
    const auto index = open(record_index_path(container_.path()));
    if (text || index) truth_ = walk_past_damage(format_, container_);
    if (text) check_text(*text);
    if (index) check_binary(*index);
    check_manifest();
    return std::move(bad_);
  }

 private:
  std::unique_ptr<ReadableFile> open(const std::string& path) {
    return store_.info(path) ? store_.open_read(path) : nullptr;
  }

  void report(const std::string& container, std::uint64_t offset, std::string key, std::string reason) {
    bad_.push_back(
        {.container = container, .offset = offset, .key = std::move(key), .reason = std::move(reason)});
  }

  // What `offsets` (of the index at `path`) leaves out of the container's records.
  void report_missing(const std::string& path, std::vector<std::uint64_t> offsets) {
    std::sort(offsets.begin(), offsets.end());
    std::vector<std::uint64_t> missing;
    std::set_difference(truth_.records.begin(), truth_.records.end(), offsets.begin(), offsets.end(),
                        std::back_inserter(missing));
    if (!missing.empty())
      report(path, missing.front(), "",
             fmt::format("{} records are not in the index, the first at offset {} of {}", missing.size(),
                         missing.front(), container_.path()));
  }

  void check_text(const ReadableFile& index) {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> sorted;
    std::size_t reports = 0;
    try {
      text_index_.read(index, [&](const TextIndexLine& line) {
        const std::string reason = wrong_with(line);
        if (!reason.empty() && ++reports <= kMostReports)
          report(index.path(), line.offset.value_or(0), std::string(line.key),
                 fmt::format("line {}: {}", line.number, reason));
        if (line.offset) offsets.push_back(*line.offset);
        return true;
      });
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt_data) throw;
      report(index.path(), 0, "", error.what());
      return;
    }
    if (reports > kMostReports)
      report(index.path(), 0, "", fmt::format("{} more wrong lines", reports - kMostReports));
    sorted = offsets;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      report(index.path(), *twice, "", fmt::format("the offset {} stands in two lines", *twice));
    report_missing(index.path(), std::move(offsets));
  }

  std::string wrong_with(const TextIndexLine& line) const {
    if (!line.offset) return fmt::format("no \"{}\"", text_index_.line);
    if (*line.offset >= container_.bytes())
      return fmt::format("offset {} in a container of {} bytes", *line.offset, container_.bytes());
    if (truth_.is_record(*line.offset)) {
      const std::uint64_t bytes = truth_.bytes_of(*line.offset);
      return !line.bytes || line.bytes == bytes
                 ? ""
                 : fmt::format("{} bytes, where the record has {}", *line.bytes, bytes);
    }
    if (truth_.in_damage(*line.offset)) return "";
    return fmt::format("no record begins at offset {}", *line.offset);
  }

  void check_binary(const ReadableFile& file) {
    const Result<RecordIndex> index = read_record_index(file);
    if (!index) return report(file.path(), 0, "", index.error().what());
    Fingerprint of_index = index->fingerprint;
    of_index.modified_ns.reset();
    if (of_index != fingerprint_of(container_))
      return report(file.path(), 0, "",
                    "it is the index of another container, or of an earlier state of this one");
    std::size_t reports = 0;
    for (std::size_t i = 0; i + 1 < index->offsets.size(); ++i) {
      const std::uint64_t offset = index->offsets[i];
      if (!truth_.is_record(offset) && !truth_.in_damage(offset) && ++reports <= kMostReports)
        report(file.path(), offset, std::to_string(i), fmt::format("no record begins at offset {}", offset));
    }
    if (reports > kMostReports)
      report(file.path(), 0, "", fmt::format("{} more wrong offsets", reports - kMostReports));
    report_missing(file.path(), {index->offsets.begin(), index->offsets.end() - 1});
  }

  void check_manifest() {
    try {
      if (const auto manifest = manifests_.find(container_.path())) check_against(*manifest);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt_data && error.code() != ErrorCode::unsupported) throw;
      report(manifest_path(container_.path()), 0, "", error.what());
    }
  }

  void check_against(const PlacedManifest& manifest) {
    const std::string name = manifest.name_of(container_.path());
    const ManifestShard* const shard = manifest.shard_at(container_.path());
    if (!shard) return report(manifest.path(), 0, "", fmt::format("no shard '{}' in it", name));
    if (const std::string& format = manifest.manifest().format;
        (format.empty() ? to_string(RecordFormat::recordio) : format) != to_string(format_.format()))
      report(manifest.path(), 0, "",
             fmt::format("'{}' is in the format {}, not {}", name, to_string(format_.format()), format));
    if (shard->bytes != container_.bytes())
      return report(manifest.path(), 0, "",
                    fmt::format("'{}' has {} bytes, not {}", name, container_.bytes(), shard->bytes));
    if (const std::uint32_t crc = store::crc_of_file(container_); crc != shard->crc32c)
      report(manifest.path(), 0, "",
             fmt::format("'{}' has the CRC-32C {:08x}, not {:08x}", name, crc, shard->crc32c));
  }

  const ContainerFormat& format_;
  Store& store_;
  const ReadableFile& container_;
  ManifestFinder& manifests_;
  const TextIndexKind text_index_;
  Truth truth_;
  std::vector<BadRecord> bad_;
};

void append(std::vector<BadRecord>& all, std::vector<BadRecord>&& more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// A shard that does not open is told by those who walk the source.
void check_shards(const std::shared_ptr<Store>& store, const SourcePaths& paths, const OpenOptions& options,
                  std::vector<BadRecord>& bad) {
  ManifestFinder manifests(*store);
  for (const std::string& path : paths.files) {
    try {
      GunzipArea area(options.index_dir);
      const OpenedFile opened = open_file(*store, path, area);
      if (!has_own_files(opened.format))
        append(bad, Checker(container_format(opened.format), *store, *opened.file, manifests).check());
    } catch (const Error& error) {
      const ErrorCode code = error.code();
      if (code == ErrorCode::out_of_resources || code == ErrorCode::unavailable) throw;
      if (paths.files.size() == 1 && code != ErrorCode::corrupt_data) throw;
      continue;
    }
    // Nothing is opened once more for an index that is not there.
    if (!options.index_dir.empty() || store->info(seek_index_path(path, RecordFormat::recordio)))
      append(bad, check_seek_index(path, options, store));
  }
}

}  // namespace

}  // namespace record

std::vector<BadRecord> check_indexes(const std::string& source, const OpenOptions& options) {
  using Kind = record::SourcePaths::Kind;
  const auto store = options.store ? options.store : open_store(source);
  const record::SourcePaths paths = record::find_source_paths(*store, source);
  if (paths.kind == Kind::folder || paths.kind == Kind::mds)
    return record::check_seek_index(source, options, store);
  std::vector<BadRecord> bad;
  record::check_shards(store, paths, options, bad);
  return bad;
}

}  // namespace stoker
