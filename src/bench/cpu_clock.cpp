#include "bench/cpu_clock.hpp"

#include <fstream>
#include <string>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace stoker::bench {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Source: proc(5): /proc/PID/status gives VmRSS and VmHWM in kB.
double status_mib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    double kib = 0;
    if (word == name && status >> kib) return kib / 1024;
  }
  return 0;
}

}  // namespace

double thread_cpu_s() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double process_cpu_s() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double wall_s() { return seconds_of(CLOCK_MONOTONIC); }

double resident_mib() { return status_mib("VmRSS:"); }
double peak_resident_mib() { return status_mib("VmHWM:"); }

// Source: proc(5): writing 5 to /proc/PID/clear_refs resets the peak resident set size.
bool reset_peak_resident() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5\n";
  file.flush();
  return file.good();
}

void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace stoker::bench
