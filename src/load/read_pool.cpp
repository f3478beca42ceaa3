#include "load/read_pool.hpp"

#include <algorithm>
#include <utility>

namespace stoker::load {

namespace {

// What a sample costs beside its buffer: key, labels, fields, the item itself.
constexpr std::size_t kItemBytes = 512;
// The usual room, in mean sizes. It changes only when it has left these bounds: a mean that sways must not
// change it.
constexpr double kLeastRoom = 2, kUsualRoom = 2.5, kMostRoom = 3.5;
constexpr std::size_t kMeanWeight = 1024;  // samples over which the mean forgets

}  // namespace

std::size_t ReadItem::memory() const { return sample.buffer.capacity() + kItemBytes; }

std::size_t ReadPool::next_charge() const {
  const std::size_t held = idle_.empty() ? kItemBytes : idle_.back()->charge;
  return std::max(held, usual_bytes_.load(std::memory_order_relaxed) + kItemBytes);
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
  note_size(item.sample.buffer.size());
  in_flight_bytes_ -= item.charge;
  item.charge = item.memory();
  in_flight_bytes_ += item.charge;
  note_total();
}

void ReadPool::note_size(std::size_t bytes) {
  sizes_met_ = std::min(sizes_met_ + 1, kMeanWeight);
  mean_bytes_ += (static_cast<double>(bytes) - mean_bytes_) / static_cast<double>(sizes_met_);
  const auto usual = static_cast<double>(usual_bytes_.load(std::memory_order_relaxed));
  if (usual >= kLeastRoom * mean_bytes_ && usual <= kMostRoom * mean_bytes_) return;
  usual_bytes_.store(static_cast<std::size_t>(kUsualRoom * mean_bytes_), std::memory_order_relaxed);
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

void ReadPool::prepare(ReadItem& item) const {
  const std::size_t usual = usual_bytes_.load(std::memory_order_relaxed);
  if (item.sample.buffer.capacity() >= usual) return;
  item.sample.buffer.clear();
  item.sample.buffer.reserve(usual);
}

void ReadPool::trim(ReadItem& item) const {
  const bool outsize = item.sample.buffer.capacity() > usual_bytes_.load(std::memory_order_relaxed);
  if (outsize || over_.load(std::memory_order_relaxed)) item.sample = Sample();
}

}  // namespace stoker::load
