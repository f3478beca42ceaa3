#include "base/cpus.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace stoker {

namespace {

// CPUs of the scheduling mask, however many the kernel was built for.
int affinity_cpus() {
  for (int size = 1024; size <= 1 << 20; size *= 2) {
    cpu_set_t* set = CPU_ALLOC(size);
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    const int status = sched_getaffinity(0, bytes, set);
    const int count = status == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (status == 0) return std::max(count, 1);
  }
  return 1;
}

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// "200000 100000" (v2), or the two files of v1 joined so; "max" and -1 mean no limit.
std::optional<double> parse_quota(const std::string& text) {
  std::istringstream words(text);
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

struct Hierarchy {
  std::string mount;  // folder of its root
  std::string group;  // path of this process in it
  bool v2 = false;
};

// Every cgroup hierarchy that can hold a CPU quota. Source: man 7 cgroups, /proc/PID/cgroup.
std::vector<Hierarchy> hierarchies(const std::string& proc_root, const std::string& cgroup_root) {
  std::vector<Hierarchy> found;
  std::ifstream file(proc_root + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      found.push_back({cgroup_root, group, true});
      found.push_back({cgroup_root + "/unified", group, true});
    } else if (controllers.find(",cpu,") != std::string::npos) {
      const std::string names = controllers.substr(1, controllers.size() - 2);
      found.push_back({cgroup_root + "/" + names, group, false});
      if (names != "cpu") found.push_back({cgroup_root + "/cpu", group, false});
    }
  }
  return found;
}

void apply(const Hierarchy& hierarchy, CpuLimits& limits) {
  // From the process's own group up to the root. In a cgroup namespace the path may not exist below the mount
  // (a container's own group is then the root): the levels that exist are read, the rest is passed over.
  for (std::string group = hierarchy.group;;) {
    if (group == "/") group.clear();
    const std::string folder = hierarchy.mount + group;
    const std::string file = folder + (hierarchy.v2 ? "/cpu.max" : "/cpu.cfs_quota_us");
    std::optional<std::string> text = first_line(file);
    if (text && !hierarchy.v2) *text += " " + first_line(folder + "/cpu.cfs_period_us").value_or("");
    if (text) {
      const std::optional<double> quota = parse_quota(*text);
      if (quota && (!limits.cgroup_quota || *quota < *limits.cgroup_quota)) {
        limits.cgroup_quota = quota;
        limits.cgroup_quota_source = file;
      }
    }
    if (group.empty()) return;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

int CpuLimits::allowed() const {
  int cpus = std::min(online, affinity);
  // Rounded up: 7.65 CPUs keep eight threads busy, and the eighth loses little when throttled.
  if (cgroup_quota) cpus = std::min(cpus, static_cast<int>(std::ceil(*cgroup_quota - 1e-9)));
  return std::max(cpus, 1);
}

CpuLimits read_cpu_limits(const std::string& proc_root, const std::string& cgroup_root) {
  CpuLimits limits;
  limits.online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  limits.affinity = affinity_cpus();
  for (const Hierarchy& hierarchy : hierarchies(proc_root, cgroup_root)) apply(hierarchy, limits);
  return limits;
}

int allowed_cpus() {
  static const int cpus = read_cpu_limits().allowed();
  return cpus;
}

int threads_or_allowed(int requested) { return requested > 0 ? requested : allowed_cpus(); }

}  // namespace stoker
