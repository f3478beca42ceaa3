#include "watch/logs/cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "watch/logs/log_text.hpp"

namespace stoker::watch {

namespace {

struct Number {
  double value = 0;
  std::string_view unit;
};

std::optional<Number> split_number(std::string_view text) {
  text = trimmed(text);
  text = trimmed(text.substr(0, text.find('\n')));
  std::string decimal(text.substr(0, 64));
  // "26,5": a decimal comma, which only a quoted cell or another separator lets through.
  const std::size_t comma = decimal.find(',');
  if (comma != std::string::npos && decimal.find('.') == std::string::npos) decimal[comma] = '.';
  double value = 0;
  const auto [end, error] = std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return Number{value, trimmed(text.substr(static_cast<std::size_t>(end - decimal.data())))};
}

struct Bounds {
  double least = 0, most = 0;
};

// What is beyond them is a driver's or a script's garbage.
Bounds bounds_of(Measure measure) {
  switch (measure) {
    case Measure::percent:
      return {0, 100.5};  // means of ratios may lie a rounding above 100
    case Measure::bytes:
      return {0, 0x1p50};
    case Measure::watts:
      return {0, 1e5};
    case Measure::joules:
    case Measure::bytes_per_s:
      return {0, 1e15};
    case Measure::megahertz:
      return {0, 1e5};
    case Measure::celsius:
      return {-100, 300};
    default:
      return {0, 1024};  // PCIe generations and lanes
  }
}

bool put_slow_reason(const Column& column, std::string_view cell, GpuSeen& gpu) {
  const std::string word = lower(trimmed(cell));
  const bool active = word == "active" || word == "1" || word == "true";
  if (!active && word != "not active" && word != "0" && word != "false") return false;
  gpu.slow_reasons = gpu.slow_reasons.value_or(0) | (active ? column.bit : 0);
  return true;
}

bool put_slow_reasons(std::string_view cell, GpuSeen& gpu) {
  cell = trimmed(cell);
  const bool hex = cell.starts_with("0x");
  if (hex) cell.remove_prefix(2);
  std::uint64_t mask = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), mask, hex ? 16 : 10);
  if (error != std::errc() || end != cell.data() + cell.size()) return false;
  gpu.slow_reasons = mask;
  return true;
}

template <class T>
bool put(Reading<T>& place, const std::optional<double>& value, std::string_view cell) {
  if (value) {
    place = static_cast<T>(*value);
  } else if (!place.known()) {
    place = Reading<T>::unknown(fmt::format("the log says \"{}\"", trimmed(cell).substr(0, 40)));
  }
  return value.has_value();
}

}  // namespace

std::optional<double> number_of(const Column& column, std::string_view cell) {
  const auto number = split_number(cell);
  if (!number) return std::nullopt;
  double value = number->value * column.factor;
  if (!number->unit.empty()) {
    const Unit* unit = find_unit(lower(number->unit));
    if (unit == nullptr || unit->measure != column.measure) return std::nullopt;
    value = number->value * unit->factor;
  } else {
    // NVML's own units, which scripts forget to convert or to name: bytes, milliwatts, MHz as "GHz".
    if (column.measure == Measure::bytes && number->value >= 0x1p24) value = number->value;
    if (column.measure == Measure::watts && value >= 5000) value = number->value * 1e-3;
    if (column.measure == Measure::megahertz && value >= 1e5 && column.factor > 1) value = number->value;
  }
  const Bounds bounds = bounds_of(column.measure);
  if (!(value >= bounds.least && value <= bounds.most)) return std::nullopt;
  return column.measure == Measure::percent ? std::min(value, 100.0) : value;
}

bool put_cell(const Column& column, std::string_view cell, GpuSeen& gpu) {
  if (column.field == Field::slow_reason) return put_slow_reason(column, cell, gpu);
  if (column.field == Field::slow_reasons) return put_slow_reasons(cell, gpu);
  const std::optional<double> value = number_of(column, cell);
  switch (column.field) {
    case Field::name:
      gpu.name = trimmed(cell);
      return true;
    case Field::util:
      return put(gpu.util_percent, value, cell);
    case Field::memory_util:
      return put(gpu.memory_util_percent, value, cell);
    case Field::sm_active:
      return put(gpu.sm_active_percent, value, cell);
    case Field::engine_active:
      return put(gpu.engine_active_percent, value, cell);
    case Field::jpeg:
      return put(gpu.jpeg_percent, value, cell);
    case Field::memory_used:
      return put(gpu.memory_used_bytes, value, cell);
    case Field::memory_total:
      return put(gpu.memory_total_bytes, value, cell);
    case Field::power:
      return put(gpu.power_w, value, cell);
    case Field::power_instant:
      return gpu.power_w.known() ? value.has_value() : put(gpu.power_w, value, cell);
    case Field::power_limit:
      return put(gpu.power_limit_w, value, cell);
    case Field::energy:
      return put(gpu.energy_j, value, cell);
    case Field::sm_clock:
      return put(gpu.sm_clock_mhz, value, cell);
    case Field::sm_clock_max:
      return put(gpu.sm_clock_max_mhz, value, cell);
    case Field::temperature:
      return put(gpu.temperature_c, value, cell);
    case Field::pcie_generation:
      return put(gpu.pcie_generation, value, cell);
    case Field::pcie_generation_max:
      return put(gpu.pcie_generation_max, value, cell);
    case Field::pcie_width:
      return put(gpu.pcie_width, value, cell);
    case Field::pcie_width_max:
      return put(gpu.pcie_width_max, value, cell);
    case Field::pcie_rx:
      return put(gpu.pcie_rx_bytes_per_s, value, cell);
    case Field::pcie_tx:
      return put(gpu.pcie_tx_bytes_per_s, value, cell);
    default:
      return true;
  }
}

std::optional<int> gpu_number(std::string_view cell) {
  cell = trimmed(cell);
  std::size_t digits = 0;
  while (digits < cell.size() && cell[cell.size() - 1 - digits] >= '0' &&
         cell[cell.size() - 1 - digits] <= '9')
    ++digits;
  const std::string before = lower(trimmed(cell.substr(0, cell.size() - digits)));
  for (const std::string_view allowed : {"", "gpu", "nvidia", "cuda:", "gpu-", "gpu_", "device"})
    if (before == allowed) return gpu_index(cell.substr(cell.size() - digits));
  return std::nullopt;
}

std::int64_t process_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0 ? number : 0;
}

bool is_unreadable(std::string_view cell) {
  const std::string word = lower(trimmed(cell));
  if (word.starts_with('[') && word.ends_with(']')) return true;
  for (const std::string_view known : {"n/a", "na", "nan", "none", "null", "err!", "error", "-", "--", "??",
                                       "not supported", "unknown error", "unknown"})
    if (word == known) return true;
  return false;
}

}  // namespace stoker::watch
