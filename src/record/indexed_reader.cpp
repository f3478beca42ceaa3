#include "record/indexed_reader.hpp"

#include <algorithm>

#include "stoker/error.hpp"

#include "base/crc.hpp"

namespace stoker::record {

namespace {
constexpr std::uint8_t kChecked = 1, kDropped = 2;  // bits of a record's state
}

IndexedReader::IndexedReader(std::unique_ptr<RecordReader> reader, FoundSeekIndex found,
                             CheckBytes check_bytes)
    : reader_(std::move(reader)), found_(std::move(found)), check_bytes_(check_bytes) {
  counted_.state = found_.state;
  counted_.path = found_.path;
  counted_.reason = found_.reason;
  if (!found_.index) return;
  states_ = std::make_unique<std::atomic<std::uint8_t>[]>(reader_->size());
  for (std::size_t i = 0; i < reader_->size(); ++i) {
    if (found_.index->has_points(i))
      ++counted_.indexed;
    else if (found_.index->has_entry(i))
      ++counted_.not_indexable;
  }
}

void IndexedReader::read(std::size_t index, Sample& sample) const {
  sample.seek_points.clear();
  reader_->read(index, sample);
  if (!found_.index || !found_.index->has_points(index)) return;
  if (states_[index].load(std::memory_order_relaxed) & kDropped) return;
  const Fault fault = attach(index, sample);
  if (fault == Fault::none) return;
  sample.seek_points.clear();
  drop(index, fault);
}

IndexedReader::Fault IndexedReader::attach(std::size_t index, Sample& sample) const {
  const std::span<const std::byte> image = sample.main();
  tl::expected<ParsedEntry, std::string> parsed;
  try {
    parsed = found_.index->read(index, std::min<std::uint64_t>(image.size(), kMostPackedBytes),
                                sample.seek_points);
  } catch (const Error&) {
    return Fault::damaged;  // points only save time: a sample is not lost for them
  }
  if (!parsed) return Fault::damaged;
  const SeekEntry entry = parsed->entry;
  if (entry.bytes != image.size()) return Fault::stale;
  const bool is_first = !(states_[index].load(std::memory_order_relaxed) & kChecked);
  if (is_first && entry.offset != image_offset(*reader_, index, sample)) return Fault::stale;
  if (check_bytes_ == CheckBytes::always || (check_bytes_ == CheckBytes::first && is_first))
    if (crc32c(image) != entry.crc32c) return Fault::changed;
  if (is_first) states_[index].fetch_or(kChecked, std::memory_order_relaxed);
  const auto skipped = parsed->packed.data() - sample.seek_points.data();
  const std::size_t bytes = parsed->packed.size();
  std::copy_n(sample.seek_points.begin() + skipped, bytes, sample.seek_points.begin());
  sample.seek_points.resize(bytes);
  return Fault::none;
}

// Once a record, whoever meets its fault first.
void IndexedReader::drop(std::size_t index, Fault fault) const {
  if (states_[index].fetch_or(kDropped, std::memory_order_relaxed) & kDropped) return;
  auto& count = fault == Fault::damaged ? damaged_ : fault == Fault::stale ? stale_ : changed_;
  count.fetch_add(1, std::memory_order_relaxed);
}

SeekIndexInfo IndexedReader::seek_index() const {
  SeekIndexInfo info = counted_;
  info.dropped_damaged = damaged_;
  info.dropped_stale = stale_;
  info.dropped_changed = changed_;
  return info;
}

}  // namespace stoker::record
