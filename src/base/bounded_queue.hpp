// A queue that blocks at both ends and can be closed.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "base/mutex.hpp"

namespace stoker {

// Threads: any number may push and pop.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. False (and the item is dropped) once the queue is closed.
  bool push(T item) STOKER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (items_.size() >= capacity_ && !closed_) room_.wait(mutex_);
    if (closed_) return false;
    items_.push_back(std::move(item));
    filled_.notify_one();
    return true;
  }

  // Waits for an item. None once the queue is closed and empty.
  std::optional<T> pop() STOKER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (items_.empty() && !closed_) filled_.wait(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    room_.notify_one();
    return item;
  }

  // No more pushes; what is inside can still be popped. Wakes every waiter.
  void close() STOKER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
    room_.notify_all();
    filled_.notify_all();
  }

  std::size_t size() const STOKER_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_.size();
  }

 private:
  const std::size_t capacity_;
  mutable Mutex mutex_;
  CondVar room_;
  CondVar filled_;
  std::deque<T> items_ STOKER_GUARDED_BY(mutex_);
  bool closed_ STOKER_GUARDED_BY(mutex_) = false;
};

}  // namespace stoker
