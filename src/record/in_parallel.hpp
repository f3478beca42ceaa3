// The same for many things at once.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <vector>

#include "base/cpus.hpp"
#include "base/thread_group.hpp"

namespace stoker::record {

// Calls `work(i)` for 0 ≤ i < count, from as many threads as CPUs may be used. Throws what the lowest i
// threw, as a plain loop would; of those behind it some may have been worked on.
template <class Work>
void for_each_in_parallel(std::size_t count, Work&& work) {
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto run = [&] {
    while (!failed.load(std::memory_order_relaxed)) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        work(i);
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  {
    ThreadGroup threads;
    for (std::size_t t = 1; t < std::min(count, static_cast<std::size_t>(threads_or_allowed(0))); ++t)
      threads.start("open", run);
    run();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace stoker::record
