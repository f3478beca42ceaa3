// A child process for tests that look at one.
#pragma once

#include <csignal>
#include <functional>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::watch {

// Runs `body` in a fork, which says when it is ready by the function it is given. Owns: the child, killed on
// destruction.
class Child {
 public:
  explicit Child(const std::function<void(const std::function<void()>& ready)>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends[0]);
      body([&] {
        if (write(ends[1], "x", 1) != 1) _exit(1);
      });
      _exit(0);
    }
    close(ends[1]);
    char byte = 0;
    const bool ready = read(ends[0], &byte, 1) == 1;
    close(ends[0]);
    if (!ready) throw std::runtime_error("the child ended before it was ready");
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

// Options for a look at a live process: quick, without GPUs.
inline WatchOptions live_options(std::int64_t pid, std::chrono::milliseconds interval) {
  WatchOptions options;
  options.pid = pid;
  options.interval = interval;
  options.main_thread_every = options.workers_every = std::chrono::milliseconds(10);
  options.nvml_library = "/no/such/library.so";
  return options;
}

}  // namespace stoker::watch
