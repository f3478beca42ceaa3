#include "record/indexed_reader.hpp"

#include <algorithm>

#include "stoker/error.hpp"

#include "base/crc.hpp"

namespace stoker::record {

namespace {
constexpr std::uint8_t kChecked = 1, kDropped = 2;  // bits of a record's state
}

IndexedReader::IndexedReader(std::unique_ptr<RecordReader> reader, std::shared_ptr<Store> store,
                             std::string index_dir, CheckBytes check_bytes,
                             std::shared_ptr<Store> cache_store)
    : reader_(std::move(reader)),
      store_(std::move(store)),
      cache_store_(std::move(cache_store)),
      index_dir_(std::move(index_dir)),
      check_bytes_(check_bytes),
      in_use_(find()) {}

std::shared_ptr<IndexedReader::InUse> IndexedReader::find() const {
  auto index = std::make_shared<InUse>();
  index->found =
      find_seek_index(*reader_, *store_, seek_index_places(*reader_, index_dir_, store_, cache_store_));
  const FoundSeekIndex& found = index->found;
  SeekIndexInfo& counted = index->counted;
  counted.state = found.state;
  counted.path = found.path;
  counted.reason = found.reason;
  if (!found.index) return index;
  index->states = std::make_unique<std::atomic<std::uint8_t>[]>(reader_->size());
  for (std::size_t i = 0; i < reader_->size(); ++i) {
    if (found.index->has_points(i))
      ++counted.indexed;
    else if (found.index->has_entry(i))
      ++counted.not_indexable;
  }
  return index;
}

std::shared_ptr<IndexedReader::InUse> IndexedReader::in_use() const {
  const MutexLock lock(mutex_);
  return in_use_;
}

void IndexedReader::renew_seek_index() const {
  std::shared_ptr<InUse> found = find();
  const MutexLock lock(mutex_);
  in_use_ = std::move(found);
}

void IndexedReader::read(std::size_t index, Sample& sample) const {
  sample.seek_points.clear();
  reader_->read(index, sample);
  const std::shared_ptr<InUse> use = in_use();
  if (!use->found.index || !use->found.index->has_points(index)) return;
  if (use->states[index].load(std::memory_order_relaxed) & kDropped) return;
  const Fault fault = attach(*use, index, sample);
  if (fault == Fault::none) return;
  sample.seek_points.clear();
  drop(*use, index, fault);
}

IndexedReader::Fault IndexedReader::attach(InUse& use, std::size_t index, Sample& sample) const {
  const std::span<const std::byte> image = sample.main();
  tl::expected<ParsedEntry, std::string> parsed;
  try {
    parsed = use.found.index->read(index, std::min<std::uint64_t>(image.size(), kMostPackedBytes),
                                   sample.seek_points);
  } catch (const Error&) {
    return Fault::damaged;  // points only save time: a sample is not lost for them
  }
  if (!parsed) return Fault::damaged;
  const SeekEntry entry = parsed->entry;
  if (entry.bytes != image.size()) return Fault::stale;
  const bool is_first = !(use.states[index].load(std::memory_order_relaxed) & kChecked);
  if (is_first && entry.offset != image_offset(*reader_, index, sample)) return Fault::stale;
  if (check_bytes_ == CheckBytes::always || (check_bytes_ == CheckBytes::first && is_first))
    if (crc32c(image) != entry.crc32c) return Fault::changed;
  if (is_first) use.states[index].fetch_or(kChecked, std::memory_order_relaxed);
  const auto skipped = parsed->packed.data() - sample.seek_points.data();
  const std::size_t bytes = parsed->packed.size();
  std::copy_n(sample.seek_points.begin() + skipped, bytes, sample.seek_points.begin());
  sample.seek_points.resize(bytes);
  return Fault::none;
}

// Once a record, whoever meets its fault first.
void IndexedReader::drop(InUse& use, std::size_t index, Fault fault) {
  if (use.states[index].fetch_or(kDropped, std::memory_order_relaxed) & kDropped) return;
  auto& count = fault == Fault::damaged ? use.damaged : fault == Fault::stale ? use.stale : use.changed;
  count.fetch_add(1, std::memory_order_relaxed);
}

SeekIndexInfo IndexedReader::seek_index() const {
  const std::shared_ptr<InUse> use = in_use();
  SeekIndexInfo info = use->counted;
  info.dropped_damaged = use->damaged;
  info.dropped_stale = use->stale;
  info.dropped_changed = use->changed;
  return info;
}

}  // namespace stoker::record
