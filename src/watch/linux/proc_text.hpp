// What the kernel's text files say: pure functions of their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/watch.hpp"

namespace stoker::watch {

// Words of a text, parted by blanks, tabs and newlines.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  // Empty at the end.
  std::string_view next();
  template <class T>
  std::optional<T> next_number();
  void skip(int words);

 private:
  std::string_view rest_;
};

// Decimal, the whole text.
std::optional<std::int64_t> to_integer(std::string_view text);
std::optional<std::uint64_t> to_unsigned(std::string_view text);
std::optional<double> to_double(std::string_view text);
// Lines without their newlines; an empty last one is left out.
std::vector<std::string_view> lines_of(std::string_view text);
// What stands behind `key` in the line that begins with it, a colon and blanks left out: "Uid: 0 0" and
// "nr_periods 7" alike.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key);
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key);

// The start of /proc/PID/stat and /proc/PID/task/TID/stat. The name may hold blanks, brackets and newlines.
struct StatHead {
  std::string_view name;
  char state = '?';
};
std::optional<StatHead> parse_stat_head(std::string_view text);

// All of it.
struct StatLine {
  std::string_view name;
  char state = '?';
  std::int64_t parent = 0;
  std::uint64_t user_ticks = 0, system_ticks = 0;
  int threads = 0;
  std::uint64_t start_ticks = 0;
  std::uint64_t resident_pages = 0;
  std::uint64_t block_io_ticks = 0;
};
std::optional<StatLine> parse_stat(std::string_view text);

// /proc/PID/task/TID/schedstat. Empty where the kernel does not keep it (all 0).
struct SchedTimes {
  double cpu_s = 0, run_delay_s = 0;
};
std::optional<SchedTimes> parse_schedstat(std::string_view text);

std::optional<ProcessIo> parse_io(std::string_view text);
// A *.pressure file; cpu has no "full" line on old kernels.
std::optional<Pressure> parse_pressure(std::string_view text);
// A "cpu" line of /proc/stat, from behind its name.
CpuTimes parse_cpu_times(std::string_view text, double ticks_per_s);
// "python train.py --lr=1" of a command line, whose words end with 0 bytes; cut to kCommandBytes.
inline constexpr std::size_t kCommandBytes = 256;
std::string parse_command(std::string text);
// CPUs in "0-3,8".
std::optional<int> count_cpus(std::string_view list);

// /proc/PID/task/TID/syscall.
struct BlockedCall {
  bool running = false;  // left meanwhile
  long number = -1;      // -1: blocked outside a system call, in a page fault above all
  std::uint64_t arguments[6] = {};
};
std::optional<BlockedCall> parse_syscall(std::string_view text);

}  // namespace stoker::watch
