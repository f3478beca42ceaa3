// What the control groups of a process limit, and how often they held it back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

#include "base/cgroups.hpp"

namespace stoker::watch {

// Follows the process when it is moved to other groups.
class CgroupReader {
 public:
  CgroupReader(std::string proc_root, std::string cgroup_root, std::int64_t pid);
  // Own levels before their ancestors; a level that limits and counts nothing is left out. A cpuset of all
  // `online_cpus` is no limit.
  std::vector<CgroupLevel> read(int online_cpus);

 private:
  std::string proc_root_, cgroup_root_;
  std::int64_t pid_;
  std::string told_;  // /proc/PID/cgroup as it was when the hierarchies were looked up
  std::vector<CgroupHierarchy> hierarchies_;
};

}  // namespace stoker::watch
