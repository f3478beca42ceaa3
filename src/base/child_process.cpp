#include "base/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

#include "base/os_error.hpp"

extern char** environ;

namespace stoker {

namespace {

constexpr const char* kShell = "/bin/sh";

struct Pipe {
  Descriptor read_end, write_end;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw os_error("make a pipe for", "a command", errno);
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
};

void make_nonblocking(const Descriptor& end) {
  ::fcntl(end.get(), F_SETFL, ::fcntl(end.get(), F_GETFL) | O_NONBLOCK);
}

// What posix_spawn is told; freed when it goes.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnPlan(int input, int output, int errors) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

// Whether it has ended; it stays a zombie, so that its number, and its group's, are nobody else's yet.
bool has_ended(int pid) {
  siginfo_t info{};
  int result = 0;
  do {
    result = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  return result != 0 || info.si_pid == pid;
}

}  // namespace

std::string exit_text(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

ChildProcess::ChildProcess(const std::string& command) {
  Pipe input, output, errors;
  const SpawnPlan plan(input.read_end.get(), output.write_end.get(), errors.write_end.get());
  std::string shell = kShell, option = "-c", text = command;
  std::array<char*, 4> words{shell.data(), option.data(), text.data(), nullptr};
  const int failure = ::posix_spawn(&pid_, kShell, &plan.files, &plan.attributes, words.data(), environ);
  if (failure != 0) throw os_error("start", kShell, failure);
  input_ = std::move(input.write_end);
  output_ = std::move(output.read_end);
  errors_ = std::move(errors.read_end);
  for (const Descriptor* end : {&input_, &output_, &errors_}) make_nonblocking(*end);
}

ChildProcess::~ChildProcess() { end(std::chrono::milliseconds(0)); }

int ChildProcess::end(std::chrono::milliseconds patience) {
  if (status_) return *status_;
  close_input();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!has_ended(pid_) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  killed_ = !has_ended(pid_);
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  status_ = status;
  return status;
}

long write_quietly(int fd, const void* bytes, std::size_t count) {
  sigset_t broken_pipe, pending, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(fd, bytes, count);
  const int error_number = errno;
  if (written < 0 && error_number == EPIPE && !was_pending) {
    constexpr timespec kAtOnce{};
    while (::sigtimedwait(&broken_pipe, nullptr, &kAtOnce) < 0 && errno == EINTR) continue;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error_number;
  return written;
}

}  // namespace stoker
