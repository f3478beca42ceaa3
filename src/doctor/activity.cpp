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

// Calls that wait for storage though they name no file.
bool is_storage_call(std::string_view call) {
  constexpr std::array<std::string_view, 6> kCalls = {"page_fault", "io_getevents", "io_uring_enter",
                                                      "sync",       "msync",        "madvise"};
  return any_of(kCalls, call);
}

bool is_lock_call(std::string_view call) { return call == "flock" || call == "fcntl"; }

bool is_receive(std::string_view call) {
  constexpr std::array<std::string_view, 4> kCalls = {"recvmsg", "recvfrom", "connect", "accept4"};
  return any_of(kCalls, call);
}

Activity sleeping_activity(const ThreadTally& tally) {
  if (tally.call.empty()) return tally.state == 'D' ? Activity::io : Activity::unseen;
  const bool pipe = tally.target == "pipe";
  const bool unix_socket = tally.target == "unix_socket";
  const bool network = tally.target == "socket";
  if (is_poll(tally.call)) {
    if (tally.timeout_ms == 5000 || pipe || unix_socket) return Activity::waiting;
    return network ? Activity::network : Activity::sleeping;
  }
  // A wait that a signal interrupted goes on under this name.
  if (tally.call == "restart_syscall")
    return tally.wait.find("poll") != std::string::npos ? Activity::waiting : Activity::sleeping;
  if (tally.call == "futex" || tally.call == "futex_waitv") return Activity::blocked;
  if (is_receive(tally.call) || unix_socket) return network ? Activity::network : Activity::unix_socket;
  if (pipe) return Activity::waiting;
  if (tally.target == "file") return is_lock_call(tally.call) ? Activity::sleeping : Activity::io;
  if (network) return Activity::network;
  if (is_storage_call(tally.call)) return Activity::io;
  // A FUSE request, a disk: the call may say nothing, the state and the kernel function do.
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
      case Activity::network:
        network += tally.count;
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
