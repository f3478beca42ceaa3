// The system calls that threads sleep in: their names, and which argument tells what they wait for.
#pragma once

#include <string_view>

namespace stoker::watch {

// Positions of arguments; -1: the call has no such argument.
struct SystemCall {
  enum class Timeout { none, milliseconds, timespec, timeval };  // by value, or where it lies in memory
  std::string_view name;
  int descriptor = -1;
  int polled = -1;  // a pointer to a list of pollfd
  int path = -1;    // a pointer to a path
  int folder = -1;  // the descriptor that the path is relative to
  Timeout timeout_kind = Timeout::none;
  int timeout = -1;
};

// Of this machine's numbering; null for a call that is not in the list.
const SystemCall* system_call(long number);

}  // namespace stoker::watch
