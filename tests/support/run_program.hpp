// Runs a program as a user would, and keeps all that it said.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stoker::test {

struct RunOptions {
  std::string standard_output;  // a path that gets it instead of ProgramResult::out; "closed": none at all
  std::map<std::string, std::string> environment;  // besides the test's own
  std::optional<int> signal;                       // sent once
  std::chrono::milliseconds signal_after{0};       // after the start, or after `signal_when` first holds
  std::string signal_when;                         // words of standard error to wait for; empty: do not wait
  bool read_after_signal = false;        // leave standard output in its pipe until the signal was sent
  std::optional<std::size_t> read_only;  // close the reading end of standard output after this many bytes
  std::chrono::seconds limit{60};        // then it is killed, and `timed_out`
};

struct ProgramResult {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;
  bool timed_out = false;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
};

// `arguments[0]` is the path of the program.
ProgramResult run_program(const std::vector<std::string>& arguments, const RunOptions& options = {});

}  // namespace stoker::test
