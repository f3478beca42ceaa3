// A reader whose samples carry their seek points.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "record/seek_index_place.hpp"

namespace stoker::record {

// Adds the seek points of an index to what another reader reads. The index is never trusted: an entry that is
// broken, or of another image than the one that was read, is left for good, and counted; the sample then has
// no points, which costs time alone.
// Threads: every const member from many at once. Cost: one ranged read of about 2 % of the image, and its
// CRC-32C where CheckBytes asks for it; one byte of memory a record.
class IndexedReader final : public RecordReader {
 public:
  // `found`: an index that fits `reader`, or why there is none.
  IndexedReader(std::unique_ptr<RecordReader> reader, FoundSeekIndex found, CheckBytes check_bytes);

  RecordFormat format() const override { return reader_->format(); }
  std::size_t size() const override { return reader_->size(); }
  const std::vector<std::string>& classes() const override { return reader_->classes(); }
  RecordInfo info(std::size_t index) const override { return reader_->info(index); }
  void read(std::size_t index, Sample& sample) const override;
  std::span<const float> known_labels() const override { return reader_->known_labels(); }
  std::optional<std::uint64_t> known_id(std::size_t index) const override { return reader_->known_id(index); }
  std::string source_path() const override { return reader_->source_path(); }
  std::optional<SourceFingerprint> fingerprint() const override { return reader_->fingerprint(); }
  SeekIndexInfo seek_index() const override;

 private:
  enum class Fault { none, damaged, stale, changed };
  Fault attach(std::size_t index, Sample& sample) const;
  void drop(std::size_t index, Fault fault) const;

  const std::unique_ptr<RecordReader> reader_;
  const FoundSeekIndex found_;
  const CheckBytes check_bytes_;
  SeekIndexInfo counted_;                                        // of the index as it was opened
  mutable std::unique_ptr<std::atomic<std::uint8_t>[]> states_;  // what is known of each record
  mutable std::atomic<std::uint64_t> damaged_{0}, stale_{0}, changed_{0};
};

}  // namespace stoker::record
