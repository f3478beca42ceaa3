// The control groups that a process is in: the folders that limit it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

// One hierarchy of groups: all of v2, or what one mount of v1 controls.
struct CgroupHierarchy {
  std::vector<std::string> controllers;  // of v1; empty for v2
  std::vector<std::string> folders;      // that exist: the process's own group first, the root last
  bool v2() const { return controllers.empty(); }
  bool controls(std::string_view controller) const;  // every one in v2
};

// `process` is a pid or "self". In a cgroup namespace the path that the kernel tells may lie outside what is
// mounted (a container's own group is then the root): the levels that exist are given.
// Source: man 7 cgroups, /proc/PID/cgroup.
std::vector<CgroupHierarchy> read_cgroups(const std::string& proc_root, const std::string& process,
                                          const std::string& cgroup_root);

// CPUs of "200000 100000": cpu.max of v2, or cfs_quota_us and cfs_period_us of v1. Empty: no limit ("max",
// -1).
// Source: kernel Documentation/admin-guide/cgroup-v2.rst (cpu.max), scheduler/sched-bwc.rst (cfs_quota_us).
std::optional<double> parse_cpu_quota(const std::string& text);

}  // namespace stoker
