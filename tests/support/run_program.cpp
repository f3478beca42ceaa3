#include "support/run_program.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stoker::test {

namespace {

using Clock = std::chrono::steady_clock;

// Both ends of a pipe, closed when it goes.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

// In the child: never returns.
[[noreturn]] void become(const std::vector<std::string>& arguments, const RunOptions& options,
                         const Pipe& out, const Pipe& err) {
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(err.ends[1], 2);
  if (options.standard_output == "closed") {
    close(1);
  } else if (!options.standard_output.empty()) {
    dup2(open(options.standard_output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
  } else {
    dup2(out.ends[1], 1);
  }
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Appends what is there; false at the end of the stream.
bool take(int descriptor, std::string& text, std::size_t most) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(descriptor, buffer.data(), std::min(buffer.size(), most));
  if (count <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, const RunOptions& options) {
  Pipe out;
  Pipe err;
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(arguments, options, out, err);
  out.close_end(1);
  err.close_end(1);

  ProgramResult result;
  std::optional<Clock::time_point> signal_at;
  if (options.signal && options.signal_when.empty()) signal_at = begin + options.signal_after;
  bool signal_sent = false;
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const bool hold = options.read_after_signal && !signal_sent;
    std::array<pollfd, 2> streams{pollfd{hold ? -1 : out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    poll(streams.data(), streams.size(), 5);
    const std::size_t wanted =
        options.read_only ? *options.read_only - std::min(*options.read_only, result.out.size()) : 65536;
    if (out.ends[0] >= 0 && wanted == 0) out.close_end(0);
    if (out.ends[0] >= 0 && streams[0].revents != 0 && !take(out.ends[0], result.out, wanted))
      out.close_end(0);
    if (err.ends[0] >= 0 && streams[1].revents != 0 && !take(err.ends[0], result.err, 65536))
      err.close_end(0);
    const auto now = Clock::now();
    if (options.signal && !signal_at && result.err.find(options.signal_when) != std::string::npos)
      signal_at = now + options.signal_after;
    if (signal_at && !signal_sent && now >= *signal_at) {
      kill(child, *options.signal);
      signal_sent = true;
    }
    if (now - begin > options.limit && !result.timed_out) {
      result.timed_out = true;
      kill(child, SIGKILL);
    }
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  result.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  constexpr int kSignalBase = 128;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return result;
}

}  // namespace stoker::test
