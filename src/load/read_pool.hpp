// Buffers for samples between reading and decoding, reused, and counted by the memory they really take.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/record.hpp"

namespace stoker::load {

// One sample that was read, or why it was not.
struct ReadItem {
  Sample sample;
  std::optional<Error> error;
  std::size_t touched =
      0;  // bytes of the buffer, from its beginning, that were ever written: those take memory
  std::size_t charge = 0;  // memory it is counted with
};

// Every buffer has room for several times the usual sample, most of it address space that was never touched.
// So hardly any sample makes one grow, nothing is allocated per sample, and the heap does not crumble into
// pieces of all sizes. A large sample's pages are given back behind its use, or in time every buffer would
// have met one. Threads: guarded by its owner's mutex, but for prepare() and trim(). Owns: every item it ever
// made.
class ReadPool {
 public:
  // All items together take little more than `limit_bytes`, in use or not.
  explicit ReadPool(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Whether one more item fits; one always does.
  bool has_room() const;
  // Whether so much is free again that reading on is worth waking for.
  bool half_empty() const { return in_flight_ == 0 || in_flight_bytes_ <= limit_bytes_ / 2; }
  // An item to read into, counted at once by what it will likely take.
  ReadItem* take();
  // Counts what the read really made of it.
  void recount(ReadItem& item);
  // Behind its use, and behind trim().
  void give_back(ReadItem* item);
  // Frees the memory of every item that is not in use.
  void clear();

  // Gives an item its room before it is read into. Called by an item's user outside of the mutex, as trim().
  void prepare(ReadItem& item) const;
  // Gives back what a large sample took, or all if the pool holds too much.
  void trim(ReadItem& item) const;

  std::size_t in_flight_bytes() const { return in_flight_bytes_; }
  std::size_t idle_bytes() const { return idle_bytes_; }

 private:
  std::size_t next_charge() const;
  void note_size(std::size_t bytes);
  // An eighth more than may be in flight, so that buffers are not freed and made again around the limit.
  void note_total() {
    over_.store(in_flight_bytes_ + idle_bytes_ > limit_bytes_ + limit_bytes_ / 8, std::memory_order_relaxed);
  }

  const std::size_t limit_bytes_;
  std::vector<std::unique_ptr<ReadItem>> items_;
  std::vector<ReadItem*> idle_;   // with memory
  std::vector<ReadItem*> empty_;  // without
  std::size_t in_flight_ = 0;
  std::size_t in_flight_bytes_ = 0;
  std::size_t idle_bytes_ = 0;
  std::size_t sizes_met_ = 0;
  double mean_bytes_ = 0;                   // running mean of the samples' sizes
  std::atomic<std::size_t> room_bytes_{0};  // of a buffer; 0: no sample was met yet
  std::atomic<std::size_t> kept_bytes_{0};  // touched memory that a buffer keeps
  std::atomic<bool> over_{false};
};

}  // namespace stoker::load
