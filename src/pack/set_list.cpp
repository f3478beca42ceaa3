#include "pack/set_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "stoker/error.hpp"

#include "pack/evenly_spread.hpp"
#include "record/line_reader.hpp"
#include "record/list_reader.hpp"
#include "record/manifest_finder.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kCompared = 64;  // records, before a list is believed to be theirs

std::vector<std::string> containers_of(const RecordReader& reader) {
  std::vector<std::string> containers;
  for (const auto& shard : reader.shards()) containers.push_back(shard->source_path());
  if (containers.empty()) containers.push_back(reader.source_path());
  return containers;
}

bool is_file(Store& store, const std::string& path) {
  const auto found = store.info(path);
  return found && !found->is_folder;
}

// x.lst of x.rec.
std::optional<std::string> list_of_one(Store& store, const std::string& container) {
  const std::size_t dot = container.rfind('.');
  if (dot == std::string::npos || container.find('/', dot) != std::string::npos) return std::nullopt;
  std::string path = container.substr(0, dot) + ".lst";
  return is_file(store, path) ? std::optional(std::move(path)) : std::nullopt;
}

// Where each sample's line of a list begins, and at last where the last one ends; none: it is no list of
// `samples`.
std::optional<std::vector<std::uint64_t>> lines_of(const ReadableFile& file, std::size_t samples) {
  std::vector<std::uint64_t> begins;
  record::LineReader lines(file);
  try {
    while (const auto line = lines.next()) {
      if (record::is_blank_or_comment(*line)) continue;
      if (begins.size() == samples) return std::nullopt;
      begins.push_back(lines.offset());
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data) throw;
    return std::nullopt;
  }
  if (begins.size() != samples) return std::nullopt;
  begins.push_back(file.bytes());
  return begins;
}

// The columns of id and path alone: labels may be what no list is read with, not a number.
bool parse_names(std::string_view line, record::ListLine& parsed) {
  const std::size_t first = line.find('\t'), last = line.rfind('\t');
  if (first == last || last + 1 == line.size()) return false;
  const auto [end, status] = std::from_chars(line.data(), line.data() + first, parsed.id);
  parsed.path = line.substr(last + 1);
  return status == std::errc() && end == line.data() + first;
}

// Threads: every const member from many at once.
class ListedKeysReader final : public RecordReader {
 public:
  ListedKeysReader(std::unique_ptr<RecordReader> reader, std::unique_ptr<ReadableFile> list,
                   std::vector<std::uint64_t> lines)
      : reader_(std::move(reader)), list_(std::move(list)), lines_(std::move(lines)) {}

  RecordFormat format() const override { return reader_->format(); }
  std::size_t size() const override { return reader_->size(); }
  const std::vector<std::string>& classes() const override { return reader_->classes(); }
  RecordInfo info(std::size_t index) const override { return reader_->info(index); }
  std::span<const float> known_labels() const override { return reader_->known_labels(); }
  std::string source_path() const override { return reader_->source_path(); }
  std::span<const std::shared_ptr<const RecordReader>> shards() const override { return reader_->shards(); }
  std::optional<SourceFingerprint> fingerprint() const override { return reader_->fingerprint(); }
  SeekIndexInfo seek_index() const override { return reader_->seek_index(); }
  void renew_seek_index() const override { reader_->renew_seek_index(); }
  std::string index_dir() const override { return reader_->index_dir(); }

  std::optional<std::uint64_t> known_id(std::size_t index) const override {
    const auto line = line_of(index);
    return line ? std::optional(line->id) : std::nullopt;
  }

  // A record whose line tells another id keeps its own as its key: no sample is lost for its name.
  void read(std::size_t index, Sample& sample) const override {
    reader_->read(index, sample);
    std::optional<Line> line = line_of(index);
    if (line && std::to_string(line->id) == sample.key) sample.key = std::move(line->key);
  }

  // Whether records that are spread over all have the ids of their lines.
  bool belongs() const {
    Sample sample;
    for (std::size_t i = 0, looks = std::min(size(), kCompared); i < looks; ++i) {
      const std::size_t index = evenly_spread(i, looks, size());
      const auto line = line_of(index);
      if (!line) return false;
      try {
        reader_->read(index, sample);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::corrupt_data) throw;
        continue;
      }
      if (std::to_string(line->id) != sample.key) return false;
    }
    return true;
  }

  std::unique_ptr<RecordReader> give_back() { return std::move(reader_); }

 private:
  struct Line {
    std::uint64_t id = 0;
    std::string key;
  };

  std::optional<Line> line_of(std::size_t index) const {
    const std::uint64_t begin = lines_[index];
    std::string text(std::min<std::uint64_t>(lines_[index + 1] - begin, record::LineReader::kLongestLine),
                     '\0');
    text.resize(list_->read_at(begin, std::as_writable_bytes(std::span(text))));
    text.resize(std::min(text.find_first_of("\r\n"), text.size()));
    record::ListLine parsed;
    if (!record::parse_list_line(text, parsed) && !parse_names(text, parsed)) return std::nullopt;
    return Line{.id = parsed.id,
                .key = record::unescaped_path(parsed.path).value_or(std::string(parsed.path))};
  }

  std::unique_ptr<RecordReader> reader_;
  const std::unique_ptr<ReadableFile> list_;
  const std::vector<std::uint64_t> lines_;
};

Error lost(const std::string& list, const std::string& found) {
  return Error(
      ErrorCode::not_found,
      {.operation = "pack",
       .object = list,
       .found = found + "; the data set's description names it, for the keys that no .rec keeps",
       .next_step = "put it back; or, to have ids as keys, write \"list\": \"\" into the description"});
}

}  // namespace

std::optional<std::string> list_of_set(Store& store, const std::vector<std::string>& containers) {
  if (containers.empty()) return std::nullopt;
  std::shared_ptr<const record::PlacedManifest> placed;
  try {
    placed = record::ManifestFinder(store).find(containers.front());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data && error.code() != ErrorCode::unsupported) throw;
    return std::nullopt;  // check_indexes tells
  }
  if (!placed) return std::nullopt;
  const record::DatasetManifest& manifest = placed->manifest();
  const bool names_all = manifest.shards.size() == containers.size() &&
                         std::ranges::all_of(containers, [&](const std::string& container) {
                           return placed->shard_at(container) != nullptr;
                         });
  if (!names_all || manifest.list.empty()) return std::nullopt;
  return placed->path().substr(0, placed->path().rfind('/') + 1) + manifest.list;
}

std::unique_ptr<RecordReader> with_listed_keys(std::unique_ptr<RecordReader> reader,
                                               const std::shared_ptr<Store>& store) {
  if (reader->format() != RecordFormat::recordio) return reader;
  const std::vector<std::string> containers = containers_of(*reader);
  std::optional<std::string> path = list_of_set(*store, containers);
  const bool is_named = path.has_value();
  if (!path && containers.size() == 1) path = list_of_one(*store, containers.front());
  if (!path) return reader;
  if (!is_file(*store, *path)) throw lost(*path, "it is missing");
  std::unique_ptr<ReadableFile> list = store->open_read(*path);
  auto lines = lines_of(*list, reader->size());
  if (lines) {
    auto keyed = std::make_unique<ListedKeysReader>(std::move(reader), std::move(list), std::move(*lines));
    if (keyed->belongs()) return keyed;
    reader = keyed->give_back();
  }
  if (is_named) throw lost(*path, fmt::format("it has not the lines of the {} records", reader->size()));
  return reader;
}

}  // namespace stoker::packing
