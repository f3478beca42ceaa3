#include "doctor/activity.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace stoker::doctor {

namespace {

template <std::size_t N>
bool any_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_poll(std::string_view call) {
  constexpr std::array<std::string_view, 7> kPolls = {"poll",       "ppoll",       "select",      "pselect6",
                                                      "epoll_wait", "epoll_pwait", "epoll_pwait2"};
  return any_of(kPolls, call);
}

bool is_file_call(std::string_view call) {
  constexpr std::array<std::string_view, 17> kCalls = {
      "read",  "pread64",    "readv",      "preadv", "preadv2", "open",  "openat",    "openat2", "stat",
      "lstat", "newfstatat", "getdents64", "fstat",  "statx",   "fsync", "fdatasync", "write"};
  return any_of(kCalls, call);
}

bool is_receive(std::string_view call) {
  constexpr std::array<std::string_view, 4> kCalls = {"recvmsg", "recvfrom", "connect", "accept4"};
  return any_of(kCalls, call);
}

Activity sleeping_activity(const ThreadTally& tally) {
  if (tally.call.empty()) return tally.state == 'D' ? Activity::io : Activity::unseen;
  const bool local = tally.target == "pipe" || tally.target == "fifo";
  const bool socket = tally.target == "unix_socket";
  const bool network = tally.target == "socket" || tally.target == "tcp_socket";
  if (is_poll(tally.call)) {
    if (tally.timeout_ms == 5000 || local || socket) return Activity::waiting;
    return network ? Activity::io : Activity::sleeping;
  }
  if (tally.call == "futex" || tally.call == "futex_waitv") return Activity::blocked;
  if (is_receive(tally.call)) return network ? Activity::io : Activity::unix_socket;
  if (is_file_call(tally.call)) {
    if (socket) return Activity::unix_socket;
    if (local) return Activity::waiting;
    if (tally.target == "eventfd" || tally.target == "timerfd") return Activity::sleeping;
    return Activity::io;
  }
  // A page fault on a mapped file, a FUSE request: the call says nothing, the kernel function does.
  if (tally.state == 'D' || tally.wait.starts_with("request_wait") || tally.wait.starts_with("folio_wait"))
    return Activity::io;
  return Activity::sleeping;
}

}  // namespace

Activity activity_of(const ThreadTally& tally) {
  switch (tally.state) {
    case 'R':
      return Activity::running;
    case 'S':
    case 'D':
      return tally.call == "running" ? Activity::running : sleeping_activity(tally);
    case 'T':
    case 't':
      return Activity::stopped;
    default:
      return Activity::gone;
  }
}

void ActivityCount::add(const std::vector<ThreadTally>& tallies) {
  for (const ThreadTally& tally : tallies) switch (activity_of(tally)) {
      case Activity::running:
        running += tally.count;
        break;
      case Activity::waiting:
        waiting += tally.count;
        break;
      case Activity::unix_socket:
        unix_socket += tally.count;
        break;
      case Activity::io:
        io += tally.count;
        break;
      case Activity::stopped:
        stopped += tally.count;
        break;
      case Activity::sleeping:
        sleeping += tally.count;
        break;
      case Activity::blocked:
        blocked += tally.count;
        break;
      case Activity::unseen:
        unseen += tally.count;
        break;
      case Activity::gone:
        break;
    }
}

}  // namespace stoker::doctor
