// Whom a GPU's driver means by a process number.
#pragma once

#include <cstdint>
#include <map>
#include <string>

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

 private:
  void read_namespaces();

  std::string proc_root_;
  std::map<std::int64_t, std::int64_t> by_other_number_;
  double read_s_ = -1e9;
};

}  // namespace stoker::watch
