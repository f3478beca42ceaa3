// The threads of one process, looked at again and again.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/linux/proc_file.hpp"
#include "watch/linux/thread_sight.hpp"

namespace stoker::watch {

// Why something of the threads is unknown; empty where it is known, or nothing asked.
struct ThreadBlindness {
  std::string calls;       // system calls
  std::string run_delays;  // schedstat
};

// Threads are grouped by name, the first thread alone. The time of a thread that ended, or took another
// name, stays with the group it was spent in: no counter falls.
class ThreadGroups {
 public:
  // `process`: a descriptor of the folder /proc/PID, which must outlive this. `live`: whether processes
  // stand behind the folders.
  ThreadGroups(int process, std::int64_t pid, bool live, DescriptorBudget& budget);

  // Finds threads that are new and forgets those that ended.
  void look_for_threads();
  // Files that threads were met reading are counted in files().
  void sample_main();
  // All others, or `most` of them at random.
  template <class Random>
  void sample_others(std::size_t most, Random& random) {
    if (threads_.size() > most + 1) {
      for (std::size_t i = 1; i <= most; ++i) {
        std::swap(threads_[i], threads_[i + random() % (threads_.size() - i)]);
      }
    }
    for (std::size_t i = 1; i < threads_.size() && i <= most; ++i) sample(threads_[i]);
  }

  // The groups with their counters; tallies and files begin anew.
  std::vector<ThreadsSeen> take();
  std::vector<FileSeen> take_files();
  const ThreadBlindness& blindness() const { return blindness_; }
  std::size_t thread_count() const { return threads_.size(); }

 private:
  struct Times {
    double cpu_s = 0, run_delay_s = 0;
  };
  struct Group {
    int count = 0;
    Times ended;  // of threads that left
    std::vector<ThreadTally> tallies;
  };
  struct Thread {
    Thread(int process, std::int64_t id, DescriptorBudget& budget);
    std::int64_t id;
    std::string name;
    KeptFile stat, syscall, wchan, schedstat;
    Times times;         // as last read
    Times spent_before;  // under other names
    bool ended = false;
  };

  // Threads of a name, and apart from them the main thread.
  using Key = std::pair<bool, std::string>;
  Key key_of(const Thread& thread) const { return {thread.id == pid_, thread.id == pid_ ? "" : thread.name}; }
  void sample(Thread& thread);
  void rename(Thread& thread, std::string_view name);
  void read_times(Thread& thread);
  void leave(Thread& thread);
  void merge_ended();

  int process_;
  std::int64_t pid_;
  ProcessMemory memory_;
  DescriptorBudget* budget_;
  std::vector<Thread> threads_;  // the main one first
  std::map<Key, Group> groups_;
  std::vector<FileSeen> files_;
  ThreadBlindness blindness_;
  double ticks_per_s_;
  bool schedstats_ = true;
};

}  // namespace stoker::watch
