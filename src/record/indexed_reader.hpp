// A reader whose samples carry their seek points.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "base/mutex.hpp"
#include "record/seek_index_place.hpp"

namespace stoker::record {

// Adds the seek points of an index to what another reader reads. The index is never trusted: an entry that is
// broken, or of another image than the one that was read, is left for good, and counted; the sample then has
// no points, which costs time alone.
// Threads: every const member from many at once. Cost: one ranged read of about 2 % of the image, and its
// CRC-32C where CheckBytes asks for it; one byte of memory a record.
class IndexedReader final : public RecordReader {
 public:
  // Looks for an index itself. `store`: the source's; `cache_store`: of the folder where indexes are cached,
  // default: as open_store gives it. Errors: as find_seek_index.
  IndexedReader(std::unique_ptr<RecordReader> reader, std::shared_ptr<Store> store, std::string index_dir,
                CheckBytes check_bytes, std::shared_ptr<Store> cache_store = nullptr);

  RecordFormat format() const override { return reader_->format(); }
  std::size_t size() const override { return reader_->size(); }
  const std::vector<std::string>& classes() const override { return reader_->classes(); }
  RecordInfo info(std::size_t index) const override { return reader_->info(index); }
  void read(std::size_t index, Sample& sample) const override;
  std::span<const float> known_labels() const override { return reader_->known_labels(); }
  std::optional<std::uint64_t> known_id(std::size_t index) const override { return reader_->known_id(index); }
  std::string source_path() const override { return reader_->source_path(); }
  std::span<const std::shared_ptr<const RecordReader>> shards() const override { return reader_->shards(); }
  std::optional<SourceFingerprint> fingerprint() const override { return reader_->fingerprint(); }
  SeekIndexInfo seek_index() const override;
  void renew_seek_index() const override STOKER_EXCLUDES(mutex_);
  std::string index_dir() const override { return index_dir_; }

 private:
  enum class Fault { none, damaged, stale, changed };
  // An index, and what was seen of it. Reads hold on to the one that they began with.
  struct InUse {
    FoundSeekIndex found;
    SeekIndexInfo counted;                                // as it was opened
    std::unique_ptr<std::atomic<std::uint8_t>[]> states;  // what is known of each record
    std::atomic<std::uint64_t> damaged{0}, stale{0}, changed{0};
  };

  std::shared_ptr<InUse> in_use() const STOKER_EXCLUDES(mutex_);
  std::shared_ptr<InUse> find() const;
  Fault attach(InUse& index, std::size_t record, Sample& sample) const;
  static void drop(InUse& index, std::size_t record, Fault fault);

  const std::unique_ptr<RecordReader> reader_;
  const std::shared_ptr<Store> store_, cache_store_;
  const std::string index_dir_;
  const CheckBytes check_bytes_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<InUse> in_use_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace stoker::record
