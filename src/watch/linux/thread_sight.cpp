#include "watch/linux/thread_sight.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <time.h>

#include "watch/linux/proc_file.hpp"
#include "watch/linux/system_calls.hpp"

namespace stoker::watch {

namespace {

std::uint64_t argument(const BlockedCall& call, int index) {
  return call.arguments[static_cast<std::size_t>(index)];
}

// -1: for ever.
std::optional<std::int64_t> timeout_of(const SystemCall& kind, const BlockedCall& call,
                                       const ProcessMemory& memory) {
  if (kind.timeout_kind == SystemCall::Timeout::none) return std::nullopt;
  const std::uint64_t value = argument(call, kind.timeout);
  if (kind.timeout_kind == SystemCall::Timeout::milliseconds) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  }
  if (value == 0) return -1;
  if (kind.timeout_kind == SystemCall::Timeout::timespec) {
    const auto time = memory.read<timespec>(value);
    if (!time) return std::nullopt;
    return time->tv_sec * 1000 + time->tv_nsec / 1'000'000;
  }
  const auto time = memory.read<timeval>(value);
  if (!time) return std::nullopt;
  return time->tv_sec * 1000 + time->tv_usec / 1000;
}

// The path in a call that opens or looks up, made whole; empty where it cannot be read.
std::string path_of(const SystemCall& kind, const BlockedCall& call, int process,
                    const ProcessMemory& memory) {
  std::string path = memory.read_text(argument(call, kind.path)).value_or("");
  if (path.empty() || path[0] == '/') return path;
  const bool relative = kind.folder >= 0;
  const auto folder = relative ? static_cast<std::int32_t>(argument(call, kind.folder)) : AT_FDCWD;
  const std::string link = folder == AT_FDCWD ? "cwd" : fmt::format("fd/{}", folder);
  const std::string base = read_link(process, link);
  if (!base.starts_with('/')) return {};
  while (path.starts_with("./")) path.erase(0, 2);
  return base + "/" + path;
}

// Not what the kernel makes up, nor memory that processes share by a file.
bool may_hold_data(std::string_view path) {
  if (path.ends_with(" (deleted)") || path.starts_with("/memfd:")) return false;
  if (path.starts_with("/dev/shm/")) return !path.starts_with("/dev/shm/torch_");
  return !path.starts_with("/dev/") && !path.starts_with("/proc/") && !path.starts_with("/sys/");
}

}  // namespace

void describe_call(const BlockedCall& call, int process, const ProcessMemory& memory, ThreadSight& sight) {
  if (call.running) {
    sight.call = "running";
    return;
  }
  if (call.number < 0) {
    sight.call = "page_fault";
    return;
  }
  const SystemCall* kind = system_call(call.number);
  if (kind == nullptr) {
    sight.call = "other";
    return;
  }
  sight.call = kind->name;
  sight.timeout_ms = timeout_of(*kind, call, memory);
  if (kind->descriptor >= 0) {
    sight.target = open_file(process, static_cast<std::int32_t>(argument(call, kind->descriptor)));
  } else if (kind->polled >= 0) {
    // Of several, the first: who waits for data polls one pipe.
    const auto polled = memory.read<pollfd>(argument(call, kind->polled));
    if (polled) sight.target = open_file(process, polled->fd);
  } else if (kind->path >= 0) {
    sight.target = {"file", path_of(*kind, call, process, memory), 0};
  }
}

void count_sight(const ThreadSight& sight, std::vector<ThreadTally>& tallies) {
  const auto same = std::find_if(tallies.begin(), tallies.end(), [&](const ThreadTally& tally) {
    return tally.state == sight.state && tally.call == sight.call && tally.timeout_ms == sight.timeout_ms &&
           tally.wait == sight.wait && tally.target == sight.target.kind;
  });
  if (same != tallies.end()) {
    ++same->count;
    return;
  }
  tallies.push_back({.state = sight.state,
                     .call = std::string(sight.call),
                     .timeout_ms = sight.timeout_ms,
                     .wait = std::string(sight.wait),
                     .target = std::string(sight.target.kind),
                     .count = 1});
}

void count_file(const OpenFile& file, std::size_t most, std::vector<FileSeen>& files) {
  if (file.kind != "file" || file.path.empty() || !may_hold_data(file.path)) return;
  const auto same =
      std::find_if(files.begin(), files.end(), [&](const FileSeen& seen) { return seen.path == file.path; });
  if (same != files.end()) {
    ++same->count;
    same->size_bytes = std::max(same->size_bytes, file.size_bytes);
  } else if (files.size() < most) {
    files.push_back({.path = file.path, .mount = {}, .size_bytes = file.size_bytes, .count = 1});
  }
}

}  // namespace stoker::watch
