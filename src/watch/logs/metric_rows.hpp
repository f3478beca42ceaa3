// Logs with one value a line: values of one tick, to a snapshot.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "watch/logs/columns.hpp"
#include "watch/logs/log_builder.hpp"

namespace stoker::watch {

struct MetricRow {
  std::optional<LogTime> time;
  int gpu = 0;
  std::string_view uuid;
  std::string_view instance;  // a MIG instance of that GPU, or empty
  Column column;
  std::string_view value;
};

class MetricRows {
 public:
  explicit MetricRows(LogBuilder& builder) : builder_(builder) {}
  // A value that the snapshot holds already begins the next one.
  GpuSeen& add(const MetricRow& row);

 private:
  LogBuilder& builder_;
  std::set<std::tuple<int, std::string, Field>> held_;
};

}  // namespace stoker::watch
