// One process, looked at again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stoker/watch.hpp"

#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"
#include "watch/linux/process_tree.hpp"
#include "watch/linux/thread_groups.hpp"

namespace stoker::watch {

class ProcessWatch {
 public:
  // `proc_root` other than "/proc" is a fixture tree: what only a live process tells is read from its files.
  ProcessWatch(const std::string& proc_root, const ProcessId& id, DescriptorBudget& budget);

  const ProcessId& id() const { return id_; }
  void update(const ProcessId& id) { id_ = id; }
  bool lives();
  ThreadGroups& threads() { return threads_; }
  // A descriptor of its folder in /proc.
  int folder() const { return folder_.get(); }

  // Everything but the mounts of its files. False where it ended. What cannot be read says why.
  bool read(ProcessSeen& seen);
  // Adds the files that it holds open for reading to those it was met with.
  void look_for_open_files(ProcessSeen& seen);
  // In the innermost namespace that it is in: what it takes its own number to be.
  std::int64_t inner_pid() const { return inner_pid_; }
  std::uint32_t user_id() const { return user_id_; }
  // The runtime folder of its environment; empty where it has none, or it cannot be read.
  const std::string& runtime_folder() const { return runtime_folder_; }

 private:
  // Read at first, and again where it may have become another program.
  struct Facts {
    std::string name;
    std::string command, user;
    Reading<std::string> cuda_visible_devices;
  };
  void read_facts(const std::string& name);
  Reading<double> block_io_delay(const StatLine& stat) const;
  Reading<int> affinity() const;

  std::string proc_root_;
  bool live_;
  ProcessId id_;
  Descriptor folder_;
  KeptFile stat_, io_;
  ThreadGroups threads_;
  Facts facts_;
  int looks_ = 0;
  std::int64_t inner_pid_ = 0;
  std::uint32_t user_id_ = 0;
  std::string runtime_folder_;
};

}  // namespace stoker::watch
