#include "load/read_pool.hpp"

#include <algorithm>
#include <utility>

namespace stoker::load {

namespace {

// What a sample costs beside its buffer: key, labels, fields, the item itself.
constexpr std::size_t kItemBytes = 512;
// Buffers up to this many times the mean size, and up to this size anyway, are kept.
constexpr std::size_t kKeptMeans = 4;
constexpr std::size_t kKeptBytes = 64 << 10;
constexpr std::size_t kMeanWeight = 64;  // samples over which the mean forgets

}  // namespace

std::size_t ReadItem::memory() const { return sample.buffer.capacity() + kItemBytes; }

std::size_t ReadPool::next_charge() const {
  const std::size_t held = idle_.empty() ? kItemBytes : idle_.back()->charge;
  return std::max(held, mean_bytes_.load(std::memory_order_relaxed) + kItemBytes);
}

bool ReadPool::has_room() const {
  return in_flight_ == 0 || in_flight_bytes_ + next_charge() <= limit_bytes_;
}

ReadItem* ReadPool::take() {
  const std::size_t charge = next_charge();
  if (idle_.empty() && empty_.empty()) {
    const std::size_t room = std::max<std::size_t>(64, 2 * items_.size());
    if (idle_.capacity() <= items_.size()) idle_.reserve(room);
    if (empty_.capacity() <= items_.size()) empty_.reserve(room);
    items_.push_back(std::make_unique<ReadItem>());
    items_.back()->charge = kItemBytes;
    idle_bytes_ += kItemBytes;
    empty_.push_back(items_.back().get());
  }
  // What has memory goes first: an item whose memory was freed stays so until all others are in use.
  std::vector<ReadItem*>& from = idle_.empty() ? empty_ : idle_;
  ReadItem* item = from.back();
  from.pop_back();
  idle_bytes_ -= item->charge;
  item->charge = charge;
  item->error.reset();
  ++in_flight_;
  in_flight_bytes_ += charge;
  return item;
}

void ReadPool::recount(ReadItem& item) {
  const std::size_t used = item.sample.buffer.size(), mean = mean_bytes_.load(std::memory_order_relaxed);
  mean_bytes_.store(mean == 0 ? used : (mean * (kMeanWeight - 1) + used) / kMeanWeight,
                    std::memory_order_relaxed);
  in_flight_bytes_ -= item.charge;
  item.charge = item.memory();
  in_flight_bytes_ += item.charge;
  note_total();
}

void ReadPool::give_back(ReadItem* item) {
  --in_flight_;
  in_flight_bytes_ -= item->charge;
  item->charge = item->memory();
  idle_bytes_ += item->charge;
  (item->sample.buffer.capacity() == 0 ? empty_ : idle_).push_back(item);  // there is room: take() saw to it
  note_total();
}

void ReadPool::clear() {
  for (ReadItem* item : idle_) {
    item->sample = Sample();
    item->charge = item->memory();
    empty_.push_back(item);
  }
  idle_.clear();
  idle_bytes_ = empty_.size() * kItemBytes;
  note_total();
}

void ReadPool::trim(ReadItem& item) const {
  const std::size_t mean = mean_bytes_.load(std::memory_order_relaxed);
  const bool outsize = item.sample.buffer.capacity() > std::max(kKeptBytes, kKeptMeans * mean);
  if (outsize || over_.load(std::memory_order_relaxed)) item.sample = Sample();
}

}  // namespace stoker::load
