// Puts what a log's reader meets together to a trace: rows of one tick to a snapshot, time stamps to a clock
// that never goes back, what was left out to words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/watch.hpp"

#include "base/result.hpp"
#include "watch/logs/log_time.hpp"

namespace stoker::watch {

class LogBuilder {
 public:
  // `kind` as in Trace::kind; `vendor` as in GpuSeen::vendor.
  LogBuilder(std::string kind, std::string vendor);

  // A new snapshot, the one that is filled from now on. Without a time it follows the last one by
  // `assumed_period_s`. Of a log that is longer than a trace may be one snapshot in two is kept, then one in
  // four, and so on: what is filled may be one that is not.
  void begin(const std::optional<LogTime>& time);
  // Seconds between snapshots without a time stamp, and whose word that is.
  void assume_period(double seconds, std::string why);
  bool has_begun() const { return !trace_.snapshots.empty(); }
  // Only after begin().
  Snapshot& snapshot() { return kept_ ? trace_.snapshots.back() : passed_over_; }
  // The GPU of the snapshot under way, added if it is not there. `instance` tells MIG instances apart.
  GpuSeen& gpu(int index, std::string_view instance = {});
  bool has_gpu(int index) const;

  void count_unreadable() { ++trace_.unreadable_values; }
  // A line that is no row: counted, and the first one is quoted.
  void leave_out(std::size_t line, std::string_view text);
  void cannot_tell(std::string what, std::string why);
  // Says so of processes, CPUs, I/O and images/s, where nothing of them was met.
  void cannot_tell_beyond_gpus();
  const std::string& kind() const { return trace_.kind; }

  // Errors: out_of_resources (more GPUs at one moment than there can be).
  Result<Trace> finish(const std::string& path);

 private:
  double clock_of(const LogTime& time);
  bool is_kept(std::size_t tick) const;
  void thin_out();
  void tell_gaps();

  Trace trace_;
  std::string vendor_;
  std::size_t gpus_ = 0;  // readings in the snapshots that are kept
  bool full_ = false;
  std::size_t ticks_ = 0, keep_one_in_ = 1;
  std::vector<std::size_t> tick_of_;  // of each snapshot that is kept
  bool kept_ = true;
  Snapshot passed_over_;
  double now_s_ = 0;
  double assumed_period_s_ = 1;
  std::string assumed_why_ = "the log has no time stamps: one snapshot a second is assumed";
  std::size_t without_time_ = 0;
  std::optional<LogTime> last_;
  double shift_s_ = 0;      // from stamps to the trace's clock
  double last_step_s_ = 0;  // the last one forward
  std::size_t clock_set_ = 0;
  std::size_t left_out_ = 0;
  std::string first_left_out_;
};

}  // namespace stoker::watch
