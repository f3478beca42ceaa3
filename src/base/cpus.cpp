#include "base/cpus.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <unistd.h>

#include "base/cgroups.hpp"

namespace stoker {

namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// From the process's own group up to the root.
void apply(const CgroupHierarchy& hierarchy, CpuLimits& limits) {
  for (const std::string& folder : hierarchy.folders) {
    const std::string file = folder + (hierarchy.v2() ? "/cpu.max" : "/cpu.cfs_quota_us");
    std::optional<std::string> text = first_line(file);
    if (!text) continue;
    if (!hierarchy.v2()) *text += " " + first_line(folder + "/cpu.cfs_period_us").value_or("");
    const std::optional<double> quota = parse_cpu_quota(*text);
    if (quota && (!limits.cgroup_quota || *quota < *limits.cgroup_quota)) {
      limits.cgroup_quota = quota;
      limits.cgroup_quota_source = file;
    }
  }
}

}  // namespace

int affinity_cpus(std::int64_t pid) {
  for (int size = 1024; size <= 1 << 20; size *= 2) {  // however many the kernel was built for
    cpu_set_t* set = CPU_ALLOC(size);
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    const int status = sched_getaffinity(static_cast<pid_t>(pid), bytes, set);
    const int count = status == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (status == 0) return count;
  }
  return 0;
}

int CpuLimits::allowed() const {
  int cpus = std::min(online, affinity);
  // Rounded up: 7.65 CPUs keep eight threads busy, and the eighth loses little when throttled.
  if (cgroup_quota) cpus = std::min(cpus, static_cast<int>(std::ceil(*cgroup_quota - 1e-9)));
  return std::max(cpus, 1);
}

CpuLimits read_cpu_limits(const std::string& proc_root, const std::string& cgroup_root) {
  CpuLimits limits;
  limits.online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  limits.affinity = std::max(affinity_cpus(0), 1);
  for (const CgroupHierarchy& hierarchy : read_cgroups(proc_root, "self", cgroup_root)) {
    if (hierarchy.controls("cpu")) apply(hierarchy, limits);
  }
  return limits;
}

int allowed_cpus() {
  static const int cpus = read_cpu_limits().allowed();
  return cpus;
}

int threads_or_allowed(int requested) { return requested > 0 ? requested : allowed_cpus(); }

}  // namespace stoker
