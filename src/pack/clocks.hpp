// Wall and CPU time of this process since a moment.
#pragma once

#include <chrono>
#include <time.h>

namespace stoker::packing {

// Units: seconds.
class Stopwatch {
 public:
  double wall_s() const { return std::chrono::duration<double>(Clock::now() - wall_).count(); }
  // User and system time of all threads.
  double cpu_s() const { return cpu_now() - cpu_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double cpu_now() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  Clock::time_point wall_ = Clock::now();
  double cpu_ = cpu_now();
};

}  // namespace stoker::packing
