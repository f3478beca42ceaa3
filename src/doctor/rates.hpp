// Rates from counters that only grow, and shares that stay within 0..1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "stoker/reading.hpp"

namespace stoker::doctor {

// A count out of a measured or stated number, bounded: a trace may say anything.
inline int whole(double x) { return x > 0 ? static_cast<int>(std::min(x, 4096.0)) : 0; }

inline double share(double x) { return std::clamp(x, 0.0, 1.0); }

// What a counter grew by, over the pairs of snapshots that both show it. A fall (threads that ended, a number
// reused) adds nothing: how much was lost with it nobody knows.
class Growth {
 public:
  void add(const std::optional<double>& before, const std::optional<double>& after) {
    if (!before || !after || !std::isfinite(*before) || !std::isfinite(*after)) return;
    seen_ = true;
    sum_ += std::max(0.0, *after - *before);
  }
  void add(const Reading<double>& before, const Reading<double>& after) {
    add(before.optional(), after.optional());
  }
  void add(double before, double after) { add(std::optional(before), std::optional(after)); }

  // Absent where no pair was seen.
  std::optional<double> per(double seconds) const {
    if (!seen_ || !(seconds > 0) || !std::isfinite(sum_ / seconds)) return std::nullopt;
    return sum_ / seconds;
  }
  std::optional<double> total() const { return seen_ ? std::optional(sum_) : std::nullopt; }

 private:
  double sum_ = 0;
  bool seen_ = false;
};

// The mean of the readings that are known, and the highest of them.
struct Mean {
  double sum = 0, most = 0;
  std::size_t count = 0;
  void add(const Reading<double>& x) {
    if (!x) return;
    sum += *x;
    most = std::max(most, *x);
    ++count;
  }
  std::optional<double> value() const {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  }
};

inline std::optional<double> divided(const std::optional<double>& x, double by) {
  if (!x || by <= 0) return std::nullopt;
  return *x / by;
}

inline Reading<double> reading(const std::optional<double>& x, const char* why) {
  return x ? Reading<double>(*x) : Reading<double>::unknown(why);
}

}  // namespace stoker::doctor
