#include "watch/logs/metric_rows.hpp"

#include "watch/logs/cells.hpp"

namespace stoker::watch {

GpuSeen& MetricRows::add(const MetricRow& row) {
  const auto key = std::tuple(row.gpu, std::string(row.instance), row.column.field);
  if (!builder_.has_begun() || held_.contains(key)) {
    builder_.begin(row.time);
    held_.clear();
  }
  held_.insert(key);
  GpuSeen& gpu = builder_.gpu(row.gpu, row.instance);
  if (row.instance.empty()) {
    gpu.uuid = row.uuid;
  } else {
    gpu.mig_parent = row.uuid.empty() ? "GPU " + std::to_string(row.gpu) : std::string(row.uuid);
  }
  if (!put_cell(row.column, row.value, gpu)) builder_.count_unreadable();
  return gpu;
}

}  // namespace stoker::watch
