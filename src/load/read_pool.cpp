#include "load/read_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace stoker::load {

namespace {

// What a sample costs beside its buffer: key, labels, fields, the item itself.
constexpr std::size_t kItemBytes = 512;
constexpr std::size_t kMeanWeight = 1024;  // samples over which the mean forgets
// A buffer's room, in mean sizes. It changes only when it has left these bounds: a mean that sways must not
// change it.
constexpr double kLeastRoom = 6, kUsualRoom = 8, kMostRoom = 12;
// Beyond twice the mean, address space for this much more is enough.
constexpr double kMostSpare = 64 << 20;
constexpr double kKeptMeans = 2;                    // touched memory that a buffer keeps
constexpr std::size_t kWorthGivingBack = 64 << 10;  // less is not worth the system call

// Gives the pages between back to the system; they read as zero when they are touched again.
// Source: man 2 madvise, MADV_DONTNEED on private anonymous memory.
void give_pages_back(std::byte* begin, std::byte* end) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t to_page = (page - reinterpret_cast<std::uintptr_t>(begin) % page) % page;
  const std::size_t behind_page = reinterpret_cast<std::uintptr_t>(end) % page;
  const auto bytes = static_cast<std::size_t>(end - begin);
  if (bytes > to_page + behind_page) madvise(begin + to_page, bytes - to_page - behind_page, MADV_DONTNEED);
}

// Frees an item's buffer. Its pages go first: the C library may keep the block itself, and would keep them
// with it.
void free_buffer(ReadItem& item) {
  give_pages_back(item.sample.buffer.data(), item.sample.buffer.data() + item.touched);
  item.sample = Sample();
  item.touched = 0;
}

}  // namespace

std::size_t ReadPool::next_charge() const {
  const std::size_t held = idle_.empty() ? kItemBytes : idle_.back()->charge;
  return std::max(held, static_cast<std::size_t>(mean_bytes_) + kItemBytes);
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
  const std::size_t used = item.sample.buffer.size();
  note_size(used);
  item.touched = std::max(item.touched, used);
  in_flight_bytes_ -= item.charge;
  item.charge = item.touched + kItemBytes;
  in_flight_bytes_ += item.charge;
  note_total();
}

void ReadPool::give_back(ReadItem* item) {
  --in_flight_;
  in_flight_bytes_ -= item->charge;
  item->charge = item->touched + kItemBytes;
  idle_bytes_ += item->charge;
  (item->touched == 0 ? empty_ : idle_).push_back(item);  // there is room: take() saw to it
  note_total();
}

void ReadPool::clear() {
  for (ReadItem* item : idle_) {
    free_buffer(*item);
    item->charge = kItemBytes;
    empty_.push_back(item);
  }
  idle_.clear();
  idle_bytes_ = empty_.size() * kItemBytes;
}

void ReadPool::note_size(std::size_t bytes) {
  sizes_met_ = std::min(sizes_met_ + 1, kMeanWeight);
  mean_bytes_ += (static_cast<double>(bytes) - mean_bytes_) / static_cast<double>(sizes_met_);
  kept_bytes_.store(static_cast<std::size_t>(kKeptMeans * mean_bytes_), std::memory_order_relaxed);
  const auto room = static_cast<double>(room_bytes_.load(std::memory_order_relaxed));
  const double most = 2 * mean_bytes_ + kMostSpare;
  if (room >= std::min(kLeastRoom * mean_bytes_, most) && room <= kMostRoom * mean_bytes_) return;
  room_bytes_.store(static_cast<std::size_t>(std::min(kUsualRoom * mean_bytes_, most)),
                    std::memory_order_relaxed);
}

void ReadPool::prepare(ReadItem& item) const {
  const std::size_t room = room_bytes_.load(std::memory_order_relaxed);
  if (item.sample.buffer.capacity() >= room) return;
  free_buffer(item);
  item.sample.buffer.reserve(room);
}

void ReadPool::trim(ReadItem& item) const {
  std::vector<std::byte>& buffer = item.sample.buffer;
  const std::size_t kept = kept_bytes_.load(std::memory_order_relaxed);
  const bool outsize = buffer.capacity() > 2 * room_bytes_.load(std::memory_order_relaxed);
  if (outsize || over_.load(std::memory_order_relaxed)) {
    free_buffer(item);
  } else if (item.touched > kept + kWorthGivingBack) {
    give_pages_back(buffer.data() + kept, buffer.data() + item.touched);
    item.touched = kept;
  }
}

}  // namespace stoker::load
