// One look at one thread: its state, and what it waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/linux/open_file.hpp"
#include "watch/linux/proc_file.hpp"
#include "watch/linux/proc_text.hpp"

namespace stoker::watch {

struct ThreadSight {
  char state = '?';
  std::string_view call;
  std::optional<std::int64_t> timeout_ms;
  std::string_view wait;
  OpenFile target;
};

// What a blocked thread waits for, into call, timeout_ms and target. `process`: the folder /proc/PID.
void describe_call(const BlockedCall& call, int process, const ProcessMemory& memory, ThreadSight& sight);

// Counts a sight under its like.
void count_sight(const ThreadSight& sight, std::vector<ThreadTally>& tallies);

// Counts a file that a thread was met with; at most `most` different ones are kept.
void count_file(const OpenFile& file, std::size_t most, std::vector<FileSeen>& files);

}  // namespace stoker::watch
