// Work on numbered items by many threads, delivered one by one in the order of their numbers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "base/thread_group.hpp"

namespace stoker::packing {

struct PipelineLimits {
  int threads = 1;        // the calling thread is one of them
  std::size_t slots = 8;  // items begun and not yet delivered, at most
  std::size_t bytes =
      256U << 20;  // held by such items before another is begun (the next one to deliver is always let in)
};

// Every thread takes the next number, works on it, and, if it is the one that is due, delivers it and those
// ready behind it. So there is no writing thread to wait for, and with one thread nothing is handed over at
// all. Slot: default constructible; reused, so its memory stays. Its bytes() tells what it holds.
template <class Slot>
class OrderedPipeline {
 public:
  struct Steps {
    std::function<void(int thread, std::size_t index, Slot& slot)>
        work;                                                    // many at once, each its own `thread`
    std::function<void(std::size_t index, Slot& slot)> deliver;  // one at a time, index 0, 1, 2, …
    std::function<void()> tick;                                  // calling thread, about every 100 ms or less
  };

  OrderedPipeline(std::size_t count, PipelineLimits limits, Steps steps)
      : count_(count),
        limits_(limits),
        steps_(std::move(steps)),
        slots_(limits.slots),
        ready_(limits.slots, false) {}

  // Returns when all were delivered, or throws the first exception that any step let out; no thread is left
  // then.
  void run() {
    ThreadGroup threads([this] { stop(); });
    try {
      for (int i = 1; i < limits_.threads; ++i) {
        threads.start("pack", [this, i] { loop(i); });
      }
      loop(0);
    } catch (...) {
      stop();
      threads.join();
      throw;
    }
    threads.join_and_rethrow();
  }

 private:
  static constexpr std::chrono::milliseconds kTick{100};

  void stop() STOKER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  bool may_begin() const STOKER_REQUIRES(mutex_) {
    return begun_ < delivered_ + limits_.slots && (held_bytes_ < limits_.bytes || begun_ == delivered_);
  }

  // The next number, or count_ when there is nothing more to do. The calling thread stays to tick until all
  // is delivered.
  std::size_t claim(int thread) STOKER_EXCLUDES(mutex_) {
    while (true) {
      {
        MutexLock lock(mutex_);
        if (stopped_ || (thread == 0 ? delivered_ : begun_) == count_) return count_;
        if (begun_ < count_ && may_begin()) return begun_++;
        changed_.wait_for(mutex_, kTick);
      }
      if (thread == 0) steps_.tick();
    }
  }

  void loop(int thread) {
    while (true) {
      if (thread == 0) steps_.tick();
      const std::size_t index = claim(thread);
      if (index == count_) return;
      Slot& slot = slots_[index % limits_.slots];
      steps_.work(thread, index, slot);
      finish(index, slot);
    }
  }

  // Marks an item ready, and delivers what is due unless another thread is at it.
  void finish(std::size_t index, Slot& slot) STOKER_EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      held_bytes_ += slot.bytes();
      ready_[index % limits_.slots] = true;
      if (delivering_) return;
      delivering_ = true;
    }
    while (const std::optional<std::size_t> due = next_due()) {
      Slot& item = slots_[*due % limits_.slots];
      const std::size_t bytes = item.bytes();
      steps_.deliver(*due, item);
      MutexLock lock(mutex_);
      held_bytes_ -= bytes;
      ready_[*due % limits_.slots] = false;
      ++delivered_;
      changed_.notify_all();
    }
  }

  // The number that is due, if it is ready; none ends this thread's turn to deliver.
  std::optional<std::size_t> next_due() STOKER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!stopped_ && delivered_ < count_ && ready_[delivered_ % limits_.slots]) return delivered_;
    delivering_ = false;
    return std::nullopt;
  }

  const std::size_t count_;
  const PipelineLimits limits_;
  const Steps steps_;
  std::vector<Slot> slots_;  // each touched by its claimant, then by the delivering thread
  Mutex mutex_;
  CondVar changed_;
  std::vector<bool> ready_ STOKER_GUARDED_BY(mutex_);
  std::size_t begun_ STOKER_GUARDED_BY(mutex_) = 0;
  std::size_t delivered_ STOKER_GUARDED_BY(mutex_) = 0;
  std::size_t held_bytes_ STOKER_GUARDED_BY(mutex_) = 0;
  bool delivering_ STOKER_GUARDED_BY(mutex_) = false;
  bool stopped_ STOKER_GUARDED_BY(mutex_) = false;
};

}  // namespace stoker::packing
