#include "record/seek_index_writer.hpp"

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

}  // namespace

SeekIndexWriter::SeekIndexWriter(std::shared_ptr<const RecordReader> reader, const std::string& index_dir,
                                 std::shared_ptr<Store> store)
    : reader_(std::move(reader)),
      store_(store ? std::move(store) : open_store(reader_->source_path())),
      places_(seek_index_places(*reader_, index_dir, store_)),
      gathered_(reader_->size(), open_spill(places_)) {}

void SeekIndexWriter::add(std::size_t record, const SeekEntry& entry, std::span<const std::byte> packed) {
  if (record >= reader_->size())
    throw Error(ErrorCode::invalid_argument, {.operation = "add to seek index",
                                              .object = reader_->source_path(),
                                              .found = fmt::format("record {}", record),
                                              .allowed = fmt::format("less than {}", reader_->size())});
  if (packed.size() > entry.bytes || packed.size() > kMostPackedBytes) return;
  const MutexLock lock(mutex_);
  gathered_.add(record, entry, packed);
}

std::uint64_t SeekIndexWriter::added() const {
  const MutexLock lock(mutex_);
  return gathered_.entries();
}

SeekIndexPublished SeekIndexWriter::publish() {
  const MutexLock lock(mutex_);
  // The analysis of locks does not follow a lambda, which runs here at once.
  EntrySpill* const gathered = &gathered_;
  if (gathered->entries() == 0) return published_before();
  const SeekIndexPublished published =
      at_first_writable(places_, [&](const SeekIndexPlace& place) { return publish_at(place, *gathered); });
  gathered->clear();
  return published;
}

// The lock is held from before the published index is read until the new one stands, so that of two processes
// the later one sees what the earlier one published.
SeekIndexPublished SeekIndexWriter::publish_at(const SeekIndexPlace& place, EntrySpill& gathered) const {
  const store::FileLock file_lock(place.path);
  const FoundSeekIndex before = find_seek_index(*reader_, *store_, places_);
  const SeekIndex::Header header = seek_index_header(*reader_, *store_, place);
  if (header.source.records != gathered.records())
    throw Error(ErrorCode::io, {.operation = "write seek index",
                                .object = reader_->source_path(),
                                .found = "another number of records than when it was opened"});
  SeekIndexFile file(*place.store, place.path, header);
  SeekIndexPublished published{.path = place.path};
  std::vector<std::byte> own_memory, old_memory;
  for (std::size_t record = 0; record < gathered.records(); ++record) {
    std::span<const std::byte> chosen = gathered.read(record, own_memory);
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

SeekIndexPublished SeekIndexWriter::published_before() const {
  const FoundSeekIndex before = find_seek_index(*reader_, *store_, places_);
  if (!before.index) return {};
  SeekIndexPublished published{.path = before.path, .bytes = before.index->bytes()};
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
