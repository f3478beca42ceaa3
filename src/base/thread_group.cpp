#include "base/thread_group.hpp"

#include <pthread.h>
#include <string>
#include <utility>

namespace stoker {

ThreadGroup::~ThreadGroup() { join(); }

void ThreadGroup::start(const char* name, std::function<void()> body) {
  threads_.emplace_back([this, label = std::string(name).substr(0, 15), body = std::move(body)] {
    pthread_setname_np(pthread_self(), label.c_str());
    try {
      body();
    } catch (...) {
      bool first = false;
      {
        MutexLock lock(mutex_);
        first = !error_;
        if (first) error_ = std::current_exception();
      }
      failed_.store(true, std::memory_order_release);
      if (first && on_error_) on_error_();
    }
  });
}

std::exception_ptr ThreadGroup::error() const {
  MutexLock lock(mutex_);
  return error_;
}

void ThreadGroup::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadGroup::join_and_rethrow() {
  join();
  if (const std::exception_ptr first = error()) std::rethrow_exception(first);
}

}  // namespace stoker
