// A mutex and a condition variable whose rules clang checks (-Wthread-safety, run by `./dev lint`).
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define STOKER_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define STOKER_THREAD_ANNOTATION(x)
#endif
#define STOKER_GUARDED_BY(m) STOKER_THREAD_ANNOTATION(guarded_by(m))
#define STOKER_REQUIRES(m) STOKER_THREAD_ANNOTATION(requires_capability(m))
#define STOKER_EXCLUDES(m) STOKER_THREAD_ANNOTATION(locks_excluded(m))

namespace stoker {

class STOKER_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() STOKER_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() STOKER_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class STOKER_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) STOKER_THREAD_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() STOKER_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits with its mutex held by the caller. Wake-ups may be spurious: wait in a loop over the condition.
class CondVar {
 public:
  void wait(Mutex& mutex) STOKER_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Whether it was woken before `duration` had passed.
  template <class Rep, class Period>
  bool wait_for(Mutex& mutex, std::chrono::duration<Rep, Period> duration) STOKER_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const auto status = condition_.wait_for(lock, duration);
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace stoker
