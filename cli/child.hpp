// A command that the program starts and watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stoker::cli {

// Runs until it ends by itself; what it writes to standard output comes out on standard error, for standard
// output is our own answer's. While one lives, SIGINT and SIGTERM are no end of ours: the first asks us to
// stop, as ever, and each is passed on to the command. Threads: one, and one of them at a time.
class Child {
 public:
  // How it ended, as waitpid gives it.
  struct End {
    int status = 0;
    std::optional<int> exit_status() const;
    std::optional<int> signal() const;
    std::string text() const;  // "ended with status 3"
  };

  // Errors: not_found, io.
  explicit Child(const std::vector<std::string>& command);
  // Waits for its end.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::int64_t pid() const { return pid_; }
  // How it ended; empty while it runs.
  std::optional<End> ended();
  // Waits for its end and passes on what signals come, and came. `passed` hears of each.
  // A signal to our whole process group has reached the command already: it has a moment to end by it.
  End wait(const std::function<void(int signal)>& passed);

 private:
  int pid_ = 0;
  std::optional<End> ended_;
};

}  // namespace stoker::cli
