// Time stamps as logs write them.
#pragma once

#include <optional>
#include <string_view>

namespace stoker::watch {

enum class TimeKind {
  elapsed,      // seconds since the log began
  time_of_day,  // seconds since midnight
  wall,         // seconds since 1970; without a zone, as if it were UTC: only differences are right then
};

struct LogTime {
  double seconds = 0;
  TimeKind kind = TimeKind::elapsed;
  bool operator==(const LogTime&) const = default;
};

// "2024/11/23 12:23:29.950", "2025-09-24T03:48:33.493Z", "20191221 21:36:47", "11/23/2024 12:23:29",
// "Sun Feb 16 08:10:45 2025", "12:23:29.5", and numbers: the epoch in s, ms, µs or ns by their size, else
// seconds that have passed. Empty where the text is no time.
std::optional<LogTime> parse_log_time(std::string_view text);

}  // namespace stoker::watch
