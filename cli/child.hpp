// A command that the program starts and watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stoker::cli {

// Runs until it ends by itself; what it writes to standard output comes out on standard error, for standard
// output is our own answer's. Threads: one.
class Child {
 public:
  // Errors: not_found, io.
  explicit Child(const std::vector<std::string>& command);
  // Waits for its end. A signal to our process group has reached it too.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::int64_t pid() const { return pid_; }
  // How it ended; empty while it runs.
  std::optional<std::string> ended();

 private:
  int pid_ = 0;
  std::optional<std::string> ended_;
};

}  // namespace stoker::cli
