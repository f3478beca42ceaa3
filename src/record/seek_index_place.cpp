#include "record/seek_index_place.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "record/record_index.hpp"

namespace stoker::record {

namespace {

constexpr std::string_view kEnding = ".seek";

// Of the container at `path`; none where the store does not know, or where there is no container.
std::optional<std::int64_t> modified_ns(Store& store, const std::string& path) {
  const auto info = store.info(path);
  return info && !info->is_folder ? info->modified_ns : std::nullopt;
}

SeekIndexState state_of(ErrorCode code) {
  if (code == ErrorCode::unsupported) return SeekIndexState::unsupported;
  return code == ErrorCode::corrupt_data ? SeekIndexState::damaged : SeekIndexState::unreadable;
}

class Finder {
 public:
  Finder(const RecordReader& reader, Store& source_store) : reader_(reader), source_store_(source_store) {}

  FoundSeekIndex look_at(const SeekIndexPlace& place) {
    try {
      if (!place.store->info(place.path)) return {};
      Result<SeekIndex> index = SeekIndex::open(place.store->open_read(place.path));
      if (!index) return refused(place, state_of(index.error().code()), index.error().parts().found);
      if (auto other = difference(index->header())) return refused(place, SeekIndexState::foreign, *other);
      return {.index = std::move(*index), .state = SeekIndexState::used, .path = place.path};
    } catch (const Error& error) {
      // Used-up descriptors and servers that do not answer are no answer to whether there is one.
      if (error.code() == ErrorCode::out_of_resources || error.code() == ErrorCode::unavailable) throw;
      if (error.code() == ErrorCode::not_found) return {};
      return refused(place, SeekIndexState::unreadable, error.what());
    }
  }

 private:
  static FoundSeekIndex refused(const SeekIndexPlace& place, SeekIndexState state, std::string reason) {
    return {.index = std::nullopt, .state = state, .path = place.path, .reason = std::move(reason)};
  }

  // What tells the source that the index is of from the one at hand; the cheap questions first.
  std::optional<std::string> difference(const SeekIndex::Header& header) {
    if (header.source.records != reader_.size())
      return fmt::format("it is of {} records, and the source has {}", header.source.records, reader_.size());
    if (header.modified_ns && header.modified_ns != modified_ns(source_store_, reader_.source_path()))
      return "the container was written since";
    if (!asked_) fingerprint_ = reader_.fingerprint().value_or(SourceFingerprint{});
    asked_ = true;
    if (header.source == fingerprint_) return std::nullopt;
    if (header.source.files != fingerprint_.files) return "it is of another kind of source";
    if (header.source.bytes != fingerprint_.bytes)
      return fmt::format("it is of a container of {} bytes, and this one has {}", header.source.bytes,
                         fingerprint_.bytes);
    return fingerprint_.files ? "it is of other paths, or of another order of them"
                              : "it is of another container, or of an earlier state of this one";
  }

  const RecordReader& reader_;
  Store& source_store_;
  bool asked_ = false;
  SourceFingerprint fingerprint_;
};

}  // namespace

std::string seek_index_path(const std::string& source, RecordFormat format) {
  if (format != RecordFormat::folder) return source + std::string(kEnding);
  return source + (source.ends_with('/') ? "" : "/") + ".stoker" + std::string(kEnding);
}

std::vector<SeekIndexPlace> seek_index_places(const RecordReader& reader, const std::string& index_dir,
                                              const std::shared_ptr<Store>& store,
                                              const std::shared_ptr<Store>& cache_store) {
  const std::string source = reader.source_path();
  if (source.empty()) return {};
  std::vector<SeekIndexPlace> places;
  const bool only_cache = !index_dir.empty();
  places.push_back({.store = store,
                    .path = seek_index_path(source, reader.format()),
                    .dated = false,
                    .to_write = !only_cache});
  const std::string folder = only_cache ? index_dir : user_index_folder("seek");
  if (folder.empty()) return places;
  places.insert(only_cache ? places.begin() : places.end(),
                {.store = cache_store ? cache_store : open_store(folder),
                 .path = cached_index_path(folder, source, kEnding),
                 .dated = true,
                 .to_write = true});
  return places;
}

FoundSeekIndex find_seek_index(const RecordReader& reader, Store& source_store,
                               const std::vector<SeekIndexPlace>& places) {
  Finder finder(reader, source_store);
  FoundSeekIndex first;
  for (const SeekIndexPlace& place : places) {
    FoundSeekIndex found = finder.look_at(place);
    if (found.index) return found;
    if (first.state == SeekIndexState::none) first = std::move(found);
  }
  return first;
}

SeekIndex::Header seek_index_header(const RecordReader& reader, Store& source_store,
                                    const SeekIndexPlace& place) {
  const std::optional<SourceFingerprint> fingerprint = reader.fingerprint();
  if (!fingerprint)
    throw Error(ErrorCode::internal,
                {.operation = "write seek index", .object = place.path, .found = "a source without a place"});
  SeekIndex::Header header{.source = *fingerprint};
  if (place.dated && !fingerprint->files)
    header.modified_ns = modified_ns(source_store, reader.source_path());
  return header;
}

}  // namespace stoker::record
