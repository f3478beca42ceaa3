// A process and all that descend from it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace stoker::watch {

struct ProcessId {
  std::int64_t pid = 0, parent = 0;
  std::uint64_t start_ticks = 0;
  bool operator==(const ProcessId&) const = default;
};

// Finds the tree anew at every look. What was once in it stays in it while it lives, also if its parent ends
// and another adopts it.
class ProcessTree {
 public:
  ProcessTree(std::string proc_root, std::int64_t pid);

  // The process itself first; without it where it ended.
  std::vector<ProcessId> look();

 private:
  struct Known {
    ProcessId id;
    std::uint64_t inode = 0;
    bool seen = false;
  };

  std::vector<std::int64_t> children_listed(std::int64_t pid) const;
  void scan();

  std::string proc_root_;
  std::int64_t pid_;
  bool lists_ = false;                             // the kernel lists children
  std::unordered_map<std::int64_t, Known> known_;  // where it does not: every process
  std::vector<ProcessId> members_;
};

// Where the process ended or never was: start_ticks 0.
ProcessId identify(const std::string& proc_root, std::int64_t pid);

}  // namespace stoker::watch
