// Threads whose first error is kept and rethrown where they are joined.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.hpp"

namespace stoker {

// Owns its threads: they are joined on destruction. Threads: start and join from one thread.
class ThreadGroup {
 public:
  // `on_error` is called (once, from the failing thread) when a thread lets an exception out: close queues
  // there.
  explicit ThreadGroup(std::function<void()> on_error = {}) : on_error_(std::move(on_error)) {}
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // The name (15 characters at most) is what top and debuggers show.
  void start(const char* name, std::function<void()> body);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  std::exception_ptr error() const STOKER_EXCLUDES(mutex_);
  void join();
  // join(), then throws the first error if there was one.
  void join_and_rethrow();

 private:
  std::function<void()> on_error_;
  std::vector<std::thread> threads_;
  std::atomic<bool> failed_{false};
  mutable Mutex mutex_;
  std::exception_ptr error_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace stoker
