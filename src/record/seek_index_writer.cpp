#include "record/seek_index_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "store/file_lock.hpp"
#include "store/local_store.hpp"

namespace stoker::record {

namespace {

// Calls `attempt` with each place that may be written until one does not fail; the last failure stands.
template <class Attempt>
auto at_first_writable(const std::vector<SeekIndexPlace>& places, Attempt&& attempt) {
  std::optional<Error> failure;
  for (const SeekIndexPlace& place : places) {
    if (!place.to_write) continue;
    try {
      return attempt(place);
    } catch (const Error& error) {
      const bool of_the_place = error.code() == ErrorCode::io ||
                                error.code() == ErrorCode::out_of_resources ||
                                error.code() == ErrorCode::invalid_argument;  // a folder of that name
      if (!of_the_place) throw;
      failure = error;
    }
  }
  if (failure) throw Error(*failure);
  throw Error(ErrorCode::invalid_argument,
              {.operation = "write seek index", .found = "a source without a place on disk"});
}

SpillFile open_spill(const std::vector<SeekIndexPlace>& places) {
  return at_first_writable(places, [](const SeekIndexPlace& place) {
    return SpillFile(std::filesystem::path(store::local_path(place.path)).parent_path().string());
  });
}

std::shared_ptr<Store> store_of(const RecordReader& reader) {
  return open_store(reader.shards().empty() ? reader.source_path() : reader.shards().front()->source_path());
}

}  // namespace

SeekIndexWriter::SeekIndexWriter(std::shared_ptr<const RecordReader> reader, const std::string& index_dir,
                                 std::shared_ptr<Store> store)
    : reader_(std::move(reader)),
      store_(store ? std::move(store) : store_of(*reader_)),
      parts_(parts_of(reader_, index_dir, store_)),
      gathered_(reader_->size(), open_spill(parts_.front().places)) {}

std::vector<SeekIndexWriter::Part> SeekIndexWriter::parts_of(
    const std::shared_ptr<const RecordReader>& reader, const std::string& index_dir,
    const std::shared_ptr<Store>& store) {
  if (reader->shards().empty())
    return {{.reader = reader, .first = 0, .places = seek_index_places(*reader, index_dir, store)}};
  std::vector<Part> parts;
  std::size_t first = 0;
  for (const auto& shard : reader->shards()) {
    parts.push_back({.reader = shard, .first = first, .places = seek_index_places(*shard, index_dir, store)});
    first += shard->size();
  }
  return parts;
}

SeekIndexWriter::Part& SeekIndexWriter::part_of(std::size_t record) {
  const auto behind = std::upper_bound(parts_.begin(), parts_.end(), record,
                                       [](std::size_t r, const Part& part) { return r < part.first; });
  return *std::prev(behind);
}

void SeekIndexWriter::add(std::size_t record, const SeekEntry& entry, std::span<const std::byte> packed) {
  if (record >= reader_->size())
    throw Error(ErrorCode::invalid_argument, {.operation = "add to seek index",
                                              .object = reader_->source_path(),
                                              .found = fmt::format("record {}", record),
                                              .allowed = fmt::format("less than {}", reader_->size())});
  if (packed.size() > entry.bytes || packed.size() > kMostPackedBytes) return;
  Part& part = part_of(record);
  const MutexLock lock(mutex_);
  if (gathered_.add(record, record - part.first, entry, packed)) ++part.added;
}

std::uint64_t SeekIndexWriter::added() const {
  const MutexLock lock(mutex_);
  return gathered_.entries();
}

SeekIndexPublished SeekIndexWriter::publish() {
  const MutexLock lock(mutex_);
  // The analysis of locks does not follow a lambda, which runs here at once.
  EntrySpill* const gathered = &gathered_;
  SeekIndexPublished all;
  for (Part& part : parts_) {
    SeekIndexPublished published = part.added == 0
                                       ? published_before(part)
                                       : at_first_writable(part.places, [&](const SeekIndexPlace& place) {
                                           return publish_at(part, place, *gathered);
                                         });
    if (all.files == 0) all.path = std::move(published.path);
    all.files += published.files;
    all.bytes += published.bytes;
    all.indexed += published.indexed;
    all.not_indexable += published.not_indexable;
    all.kept += published.kept;
  }
  gathered->clear();
  for (Part& part : parts_) part.added = 0;
  return all;
}

// The lock is held from before the published index is read until the new one stands, so that of two processes
// the later one sees what the earlier one published.
SeekIndexPublished SeekIndexWriter::publish_at(const Part& part, const SeekIndexPlace& place,
                                               EntrySpill& gathered) const {
  const store::FileLock file_lock(place.path);
  const FoundSeekIndex before = find_seek_index(*part.reader, *store_, part.places);
  const SeekIndex::Header header = seek_index_header(*part.reader, *store_, place);
  const std::size_t records = part.reader->size();
  if (header.source.records != records)
    throw Error(ErrorCode::io, {.operation = "write seek index",
                                .object = part.reader->source_path(),
                                .found = "another number of records than when it was opened"});
  SeekIndexFile file(*place.store, place.path, header);
  SeekIndexPublished published{.path = place.path, .files = 1};
  std::vector<std::byte> own_memory, old_memory;
  for (std::size_t record = 0; record < records; ++record) {
    std::span<const std::byte> chosen = gathered.read(part.first + record, own_memory);
    auto parsed = parse_entry(record, chosen);
    if (before.index && before.index->has_entry(record)) {
      const auto old = before.index->read(record, kMostPackedBytes, old_memory);
      // An entry of other bytes is of an earlier state of the image: what was read last is what lies there.
      const bool keep =
          old &&
          (!parsed || (is_same_image(old->entry, parsed->entry) && old->entry.points > parsed->entry.points));
      if (keep) {
        parsed = old;
        chosen = old_memory;
        ++published.kept;
      }
    }
    file.add(chosen);
    if (parsed) ++(parsed->entry.points > 0 ? published.indexed : published.not_indexable);
  }
  published.bytes = file.commit();
  return published;
}

SeekIndexPublished SeekIndexWriter::published_before(const Part& part) const {
  const FoundSeekIndex before = find_seek_index(*part.reader, *store_, part.places);
  if (!before.index) return {};
  SeekIndexPublished published{.path = before.path, .files = 1, .bytes = before.index->bytes()};
  for (std::size_t record = 0; record < before.index->records(); ++record) {
    if (before.index->has_points(record))
      ++published.indexed;
    else if (before.index->has_entry(record))
      ++published.not_indexable;
  }
  published.kept = published.indexed + published.not_indexable;
  return published;
}

}  // namespace stoker::record
