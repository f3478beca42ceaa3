// How far long work is: a bar on a terminal, a plain line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/output.hpp"

namespace stoker::cli {

struct ProgressState {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: unknown
  double elapsed_s = 0;
  std::string extra;  // "3 skipped"
};

// "512 of 1000 images, 51 %, 830 images/s, 0.6 s to go, 3 skipped". No rate and no ETA before anything is
// known.
std::string progress_line(const ProgressState& state, const std::string& noun);
// The same behind a bar, in exactly one terminal line of at most `columns`.
std::string progress_bar(const ProgressState& state, const std::string& noun, std::size_t columns);

// Threads: one at a time.
class Progress {
 public:
  Progress(Talk& talk, std::string noun, std::chrono::milliseconds plain_every = std::chrono::seconds(5));
  // Leaves the terminal's line empty.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total, const std::string& extra = "");

 private:
  Talk& talk_;
  std::string noun_;
  std::chrono::steady_clock::duration every_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
  bool drawn_ = false;
};

}  // namespace stoker::cli
