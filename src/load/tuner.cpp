#include "load/tuner.hpp"

#include <algorithm>
#include <cmath>

namespace stoker::load {

namespace {

constexpr double kConsumerWaits = 0.05;  // of the wall time: above, more workers are wanted
constexpr double kShortOfBytes = 0.5;   // of the workers' time: above, more workers would only wait with them
constexpr double kMostlyBlocked = 0.5;  // of the workers' time: above, some are not needed
constexpr double kFreeCpu = 0.5;        // CPUs that must be idle for another worker
constexpr double kBusyTarget = 0.8;     // how busy the workers that remain shall be

double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

int tune_threads(const TuneWindow& window, int threads, int allowed) {
  const double wall = seconds(window.wall);
  threads = std::clamp(threads, 1, std::max(allowed, 1));
  if (wall <= 0) return threads;
  const double worker_time = wall * threads;
  const double waits = seconds(window.consumer_waited) / wall;
  const double starved = seconds(window.blocked_on_input) / worker_time;
  const double blocked = seconds(window.blocked_on_output) / worker_time;
  const double idle_cpus = allowed - seconds(window.process_cpu) / wall;
  if (waits > kConsumerWaits && starved < kShortOfBytes && idle_cpus > kFreeCpu) {
    const int step = std::max(1, std::min(threads / 2, static_cast<int>(idle_cpus)));
    return std::min(threads + step, std::max(allowed, 1));
  }
  if (blocked > kMostlyBlocked && waits <= kConsumerWaits) {
    const int needed = static_cast<int>(std::ceil(threads * (1 - blocked) / kBusyTarget));
    return std::clamp(needed, 1, std::max(threads - 1, 1));
  }
  return threads;
}

}  // namespace stoker::load
