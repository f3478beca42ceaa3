// Whom a GPU's driver means by a process number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::watch {

// Finds the processes that drivers list by number below a /proc, which may be that of a container.
class GpuProcesses {
 public:
  explicit GpuProcesses(std::string proc_root) : proc_root_(std::move(proc_root)) {}

  // Sets `here` and `name`. A number that does not exist here, and that the kernel tells as another number of
  // a process that does (NSpid), is replaced.
  // Cost: what was not found is looked for again after 10 s.
  void find(GpuProcess& process, double now_s);

  // Where a GPU is in use and no process that its driver lists is here, as in a container: the processes that
  // hold `device` ("/dev/nvidia0") open, of kind "open". If one is listed and one holds it, they are the
  // same. Cost: a look at every open file, every 10 s at most.
  void find_holders(GpuSeen& gpu, const std::string& device, double now_s);

 private:
  void read_namespaces();
  void read_holders();

  std::string proc_root_;
  std::map<std::int64_t, std::int64_t> by_other_number_;
  std::map<std::string, std::vector<std::int64_t>>
      holders_;  // by device file; without those that a parent told
  double namespaces_read_s_ = -1e9, holders_read_s_ = -1e9;
};

}  // namespace stoker::watch
