// The CPUs that may be used, not the CPUs that exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stoker {

// CPUs in the scheduling mask of a process (0: this one); 0 where it cannot be read.
int affinity_cpus(std::int64_t pid);

// What limits this process, each with where it was read; what could not be read is absent.
struct CpuLimits {
  int online = 1;
  int affinity = 1;  // CPUs in the scheduling mask
  std::optional<double>
      cgroup_quota;                 // CPUs: the smallest quota / period of this cgroup and all its ancestors
  std::string cgroup_quota_source;  // the file that said so
  // Threads that can run at once: the minimum of the three, rounded up, at least 1.
  int allowed() const;
};

// `proc_root` and `cgroup_root` are "/proc" and "/sys/fs/cgroup" but in tests.
CpuLimits read_cpu_limits(const std::string& proc_root = "/proc",
                          const std::string& cgroup_root = "/sys/fs/cgroup");

// read_cpu_limits().allowed(), read once.
int allowed_cpus();

// `requested` threads, or allowed_cpus() for 0.
int threads_or_allowed(int requested);

}  // namespace stoker
