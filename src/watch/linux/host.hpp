// The machine's CPUs, memory and pressure.
#pragma once

#include <string>

#include "stoker/watch.hpp"

namespace stoker::watch {

class HostReader {
 public:
  HostReader(std::string proc_root, std::string sys_root);
  HostSeen read();

 private:
  Reading<int> count_cores(int online_cpus);

  std::string proc_root_, sys_root_;
  int cores_for_ = -1;  // online CPUs when the cores were counted
  Reading<int> cores_;
};

}  // namespace stoker::watch
