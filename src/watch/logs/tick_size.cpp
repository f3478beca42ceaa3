#include "watch/logs/tick_size.hpp"

#include <algorithm>

#include "base/quantile.hpp"

namespace stoker::watch {

namespace {

constexpr std::size_t kMostGpus = 16;
constexpr std::size_t kTicks = 8;  // at least, to call it a pattern
constexpr double kBurst = 0.2;     // within a burst, of the time between two

}  // namespace

void TickSize::header() { between_headers_.push_back(0); }

void TickSize::row(const std::optional<LogTime>& time) {
  if (!between_headers_.empty()) ++between_headers_.back();
  if (time) times_.push_back(time->seconds);
}

int TickSize::rows() const {
  if (between_headers_.size() >= kTicks) {
    const std::size_t first = between_headers_[0];
    const bool alike = std::all_of(between_headers_.begin(), between_headers_.end() - 1,
                                   [first](std::size_t rows) { return rows == first; });
    if (alike && first > 1 && first <= kMostGpus) return static_cast<int>(first);
  }
  for (std::size_t size = 2; size <= kMostGpus && times_.size() >= kTicks * size; ++size) {
    std::vector<double> within, between;
    for (std::size_t i = 1; i < times_.size(); ++i)
      (i % size == 0 ? between : within).push_back(times_[i] - times_[i - 1]);
    if (quantile(within, 0.95) < kBurst * quantile(between, 0.5)) return static_cast<int>(size);
  }
  return 1;
}

}  // namespace stoker::watch
