// The watched process with all that descends from it.
#pragma once

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/linux/cgroup_levels.hpp"
#include "watch/linux/proc_file.hpp"
#include "watch/linux/process_tree.hpp"
#include "watch/linux/process_watch.hpp"

namespace stoker::watch {

class TrainingWatch {
 public:
  // Of a thread's number its process is watched.
  // Errors: not_found (no such process).
  explicit TrainingWatch(const WatchOptions& options);

  // Whether the watched process itself still runs.
  bool lives();
  // Finds processes and threads that are new, forgets those that ended.
  void look();
  void sample_main();
  // The workers' first threads, the watched process's other threads, and every second time the workers'
  // others.
  void sample_others();
  // Fills processes, cgroups, mounts and loaders, and adds to not_seen.
  void read(Snapshot& snapshot);
  std::size_t thread_count() const;

 private:
  void read_processes(Snapshot& snapshot);
  void read_mounts(Snapshot& snapshot);
  void read_loaders(Snapshot& snapshot);

  std::string proc_root_;
  std::int64_t pid_;
  bool live_;
  DescriptorBudget budget_;
  ProcessTree tree_;
  CgroupReader cgroups_;
  std::vector<std::unique_ptr<ProcessWatch>> processes_;
  std::size_t rounds_ = 0;
  std::size_t next_open_files_ = 0;  // the process whose open files are looked at next
  std::vector<MountSeen> mounts_;
  int mounts_age_ = 0;  // snapshots since they were read
  std::set<std::string> used_mounts_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace stoker::watch
