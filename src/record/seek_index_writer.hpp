// Gathers the entries of a seek index as they are met, and publishes them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "base/mutex.hpp"
#include "record/entry_spill.hpp"
#include "record/seek_index.hpp"
#include "record/seek_index_place.hpp"

namespace stoker::record {

struct SeekIndexPublished {
  std::string path;         // of a source of many containers: of the first of its indexes
  std::uint64_t files = 0;  // indexes that stand there now
  std::uint64_t bytes = 0;
  std::uint64_t indexed = 0;        // records with points
  std::uint64_t not_indexable = 0;  // records known to have none
  std::uint64_t kept = 0;           // entries that were published before and are still the better ones
};

// A source of many containers gets an index for each of them, beside it.
// Threads: add() from many at once, and publish() beside it. Several writers, in one process or many, may
// gather for one source: each keeps what the others published.
// Cost: 16 bytes of memory a record; entries lie in a nameless temporary file where the index will be.
class SeekIndexWriter {
 public:
  // `reader`, or each of its shards, is asked for its place and state, now and at publish(); `store`: the
  // source's (default: open_store(its path)). Errors: invalid_argument (a reader without a place), io (no
  // place that can be written).
  SeekIndexWriter(std::shared_ptr<const RecordReader> reader, const std::string& index_dir,
                  std::shared_ptr<Store> store = nullptr);

  // Takes the entry of a record, in any order. One that came before for the same image stays if it has more
  // points. Points that take more room than the image are left, and no entry is made of them.
  // Errors: invalid_argument (no such record), io, out_of_resources.
  void add(std::size_t record, const SeekEntry& entry, std::span<const std::byte> packed)
      STOKER_EXCLUDES(mutex_);
  // Records that got an entry since the last publish().
  std::uint64_t added() const STOKER_EXCLUDES(mutex_);

  // Makes one index of what was added and what is published for a container, in which every reader finds the
  // old state or the new one. Nothing added for it: nothing is written. What was added is forgotten then,
  // unless it fails. Errors: io, out_of_resources, unavailable (another process publishes for minutes).
  SeekIndexPublished publish() STOKER_EXCLUDES(mutex_);

 private:
  // A container and its records among those of the source.
  struct Part {
    std::shared_ptr<const RecordReader> reader;
    std::size_t first = 0;
    std::vector<SeekIndexPlace> places;
    std::uint64_t added = 0;  // records that got an entry since the last publish(); guarded by mutex_
  };

  static std::vector<Part> parts_of(const std::shared_ptr<const RecordReader>& reader,
                                    const std::string& index_dir, const std::shared_ptr<Store>& store);
  Part& part_of(std::size_t record);
  SeekIndexPublished publish_at(const Part& part, const SeekIndexPlace& place, EntrySpill& gathered) const;
  SeekIndexPublished published_before(const Part& part) const;

  const std::shared_ptr<const RecordReader> reader_;
  const std::shared_ptr<Store> store_;
  std::vector<Part> parts_;
  mutable Mutex mutex_;
  EntrySpill gathered_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace stoker::record
