// What a test sees of its own process: threads, open files, memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <unistd.h>

namespace stoker::load::test {

inline int count_entries(const char* folder) {
  const std::filesystem::directory_iterator begin(folder), end;
  return static_cast<int>(std::distance(begin, end));
}
inline int count_threads() { return count_entries("/proc/self/task"); }
inline int count_files() { return count_entries("/proc/self/fd"); }

inline std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// How often the whole program called operator new (allocation_count_test.cpp).
std::uint64_t count_allocations();

// What memory may grow by with no leak: the C library keeps some for each thread there was, and sanitizers
// keep what was freed for a while, and shadow it.
inline std::size_t memory_noise() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::size_t{600} << 20;
#else
  return std::size_t{32} << 20;
#endif
}

// Whether it comes true within ten seconds.
template <class Condition>
bool eventually(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace stoker::load::test
