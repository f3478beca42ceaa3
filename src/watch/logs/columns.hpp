// What the columns of GPU logs are called: nvidia-smi's names, DCGM's, W&B's, and
// those that people give in scripts of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "watch/logs/measure.hpp"

namespace stoker::watch {

enum class Field {
  none,  // a column that says nothing here
  time,
  date,  // beside a time of day
  gpu,
  uuid,
  bus_id,
  name,
  util,
  memory_util,
  sm_active,
  engine_active,
  jpeg,
  memory_used,
  memory_total,
  power,
  power_instant,  // taken where there is no mean power
  power_limit,
  energy,
  sm_clock,
  sm_clock_max,
  temperature,
  slow_reasons,
  slow_reason,  // one of them: "Active", "Not Active"
  pcie_generation,
  pcie_generation_max,
  pcie_width,
  pcie_width_max,
  pcie_rx,
  pcie_tx,
  host_cpu,
};

struct Column {
  Field field = Field::none;
  Measure measure = Measure::none;
  double factor = 1;       // what a bare number of this column is multiplied by
  std::uint64_t bit = 0;   // of slow_reason
  std::optional<int> gpu;  // "gpu1_util": which GPU's, in tables with a column for each
  bool is_value() const { return field >= Field::util; }
};

// The column that a header calls so, its unit in brackets ("power.draw [W]", "utilization.gpu(%)") or behind
// ("power_w"). A log's own dialect is put in front: "dmon sm", "dcgm power_usage".
Column find_column(std::string_view header);

}  // namespace stoker::watch
