// A command of the user's, run by the shell, with its standard streams in our hands.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace stoker {

// "ended with status 3", "ended by signal 11 (Segmentation fault)". `status`: as waitpid gives it.
std::string exit_text(int status);

// Owns: the process, its group (whatever it starts is ended with it) and our ends of three pipes, which never
// block. Nothing else that we have open is inherited. Threads: one at a time.
class ChildProcess {
 public:
  // Runs `sh -c command`, in a process group of its own, with signals as a fresh program has them.
  // Errors (thrown): io, out_of_resources.
  explicit ChildProcess(const std::string& command);
  // As end(), without patience.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  int input() const { return input_.get(); }    // we write
  int output() const { return output_.get(); }  // we read
  int errors() const { return errors_.get(); }  // we read
  void close_input() { input_.close(); }

  // Closes its input, waits for its end for as long as `patience`, kills what is left of its group, and tells
  // how it ended (as waitpid gives it). May be called again.
  int end(std::chrono::milliseconds patience);
  // Whether end() had to kill it.
  bool was_killed() const { return killed_; }

 private:
  int pid_ = 0;
  bool killed_ = false;
  Descriptor input_, output_, errors_;
  std::optional<int> status_;
};

// write() that returns -1 with EPIPE where nobody reads any more, and raises no SIGPIPE.
long write_quietly(int fd, const void* bytes, std::size_t count);

}  // namespace stoker
