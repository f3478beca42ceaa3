// How many rows one tick of a log has, where no column tells GPUs apart.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "watch/logs/log_time.hpp"

namespace stoker::watch {

class TickSize {
 public:
  void header();
  void row(const std::optional<LogTime>& time);
  // 1 unless all headers are followed by as many rows, or all rows but a few come in bursts of as many.
  int rows() const;

 private:
  std::vector<std::size_t> between_headers_;
  std::vector<double> times_;
};

}  // namespace stoker::watch
