// How many decode workers should be at work, from what a window of time showed.
#pragma once

#include <chrono>

namespace stoker::load {

// Sums over one window of time.
struct TuneWindow {
  std::chrono::nanoseconds wall{};
  std::chrono::nanoseconds consumer_waited{};    // inside next()
  std::chrono::nanoseconds blocked_on_output{};  // all workers together
  std::chrono::nanoseconds blocked_on_input{};
  std::chrono::nanoseconds process_cpu{};  // user and system, all threads of the process
};

// The next number of workers, 1..allowed. More if the consumer waits while workers are not short of bytes and
// the process leaves CPUs idle; fewer if workers mostly wait for the consumer. Pure.
int tune_threads(const TuneWindow& window, int threads, int allowed);

}  // namespace stoker::load
