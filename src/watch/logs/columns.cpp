#include "watch/logs/columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "watch/logs/log_text.hpp"

namespace stoker::watch {

namespace {

enum class Measure { none, percent, bytes, watts, joules, megahertz, celsius, bytes_per_s, seconds };

Measure measure_of(Field field) {
  switch (field) {
    case Field::util:
    case Field::memory_util:
    case Field::sm_active:
    case Field::engine_active:
    case Field::jpeg:
    case Field::host_cpu:
      return Measure::percent;
    case Field::memory_used:
    case Field::memory_total:
      return Measure::bytes;
    case Field::power:
    case Field::power_instant:
    case Field::power_limit:
      return Measure::watts;
    case Field::energy:
      return Measure::joules;
    case Field::sm_clock:
    case Field::sm_clock_max:
      return Measure::megahertz;
    case Field::temperature:
      return Measure::celsius;
    case Field::pcie_rx:
    case Field::pcie_tx:
      return Measure::bytes_per_s;
    case Field::time:
      return Measure::seconds;
    default:
      return Measure::none;
  }
}

struct Unit {
  std::string_view name;
  Measure measure;
  double factor;
};

// What NVIDIA's tools and scripts on NVML call MB and GB are powers of two.
constexpr double kMiB = 0x1p20;
constexpr std::array kUnits = {
    Unit{"%", Measure::percent, 1},
    Unit{"percent", Measure::percent, 1},
    Unit{"pct", Measure::percent, 1},
    Unit{"perc", Measure::percent, 1},
    Unit{"b", Measure::bytes, 1},
    Unit{"bytes", Measure::bytes, 1},
    Unit{"kb", Measure::bytes, 0x1p10},
    Unit{"kib", Measure::bytes, 0x1p10},
    Unit{"mb", Measure::bytes, kMiB},
    Unit{"mib", Measure::bytes, kMiB},
    Unit{"m", Measure::bytes, kMiB},
    Unit{"gb", Measure::bytes, 0x1p30},
    Unit{"gib", Measure::bytes, 0x1p30},
    Unit{"w", Measure::watts, 1},
    Unit{"watt", Measure::watts, 1},
    Unit{"watts", Measure::watts, 1},
    Unit{"mw", Measure::watts, 1e-3},
    Unit{"j", Measure::joules, 1},
    Unit{"mj", Measure::joules, 1e-3},
    Unit{"mhz", Measure::megahertz, 1},
    Unit{"ghz", Measure::megahertz, 1e3},
    Unit{"hz", Measure::megahertz, 1e-6},
    Unit{"c", Measure::celsius, 1},
    Unit{"celsius", Measure::celsius, 1},
    Unit{"\xc2\xb0"
         "c",
         Measure::celsius, 1},
    Unit{"mb/s", Measure::bytes_per_s, 1e6},
    Unit{"kb/s", Measure::bytes_per_s, 1e3},
    Unit{"s", Measure::seconds, 1},
    Unit{"sec", Measure::seconds, 1},
    Unit{"secs", Measure::seconds, 1},
    Unit{"seconds", Measure::seconds, 1},
    Unit{"ms", Measure::seconds, 1e-3},
    Unit{"us", Measure::seconds, 1e-6},
    Unit{"ns", Measure::seconds, 1e-9},
};

const Unit* find_unit(std::string_view name) {
  const auto found = std::ranges::find(kUnits, name, &Unit::name);
  return found == kUnits.end() ? nullptr : &*found;
}

struct Synonym {
  std::string_view name;  // letters and digits alone
  Field field;
  double factor = 1;
  std::uint64_t bit = 0;
};

constexpr std::array kSynonyms = {
    Synonym{"timestamp", Field::time},
    Synonym{"time", Field::time},
    Synonym{"datetime", Field::time},
    Synonym{"ts", Field::time},
    Synonym{"t", Field::time},
    Synonym{"epoch", Field::time},
    Synonym{"unixtime", Field::time},
    Synonym{"elapsed", Field::time},
    Synonym{"elapsedtime", Field::time},
    Synonym{"seconds", Field::time},
    Synonym{"timestampus", Field::time},
    Synonym{"wandbtimestamp", Field::time},
    Synonym{"date", Field::date},
    Synonym{"index", Field::gpu},
    Synonym{"gpu", Field::gpu},
    Synonym{"gpuid", Field::gpu},
    Synonym{"gpuindex", Field::gpu},
    Synonym{"gpuidx", Field::gpu},
    Synonym{"gpunum", Field::gpu},
    Synonym{"id", Field::gpu},
    Synonym{"device", Field::gpu},
    Synonym{"deviceid", Field::gpu},
    Synonym{"deviceindex", Field::gpu},
    Synonym{"uuid", Field::uuid},
    Synonym{"gpuuuid", Field::uuid},
    Synonym{"pcibusid", Field::bus_id},
    Synonym{"gpubusid", Field::bus_id},
    Synonym{"busid", Field::bus_id},
    Synonym{"name", Field::name},
    Synonym{"gpuname", Field::name},
    Synonym{"devicename", Field::name},
    Synonym{"product", Field::name},
    Synonym{"productname", Field::name},

    Synonym{"utilizationgpu", Field::util},
    Synonym{"gpuutilization", Field::util},
    Synonym{"utilgpu", Field::util},
    Synonym{"gpuutil", Field::util},
    Synonym{"utilization", Field::util},
    Synonym{"utilisation", Field::util},
    Synonym{"gpuutilisation", Field::util},
    Synonym{"utilizationgpupercent", Field::util},
    Synonym{"util", Field::util},
    Synonym{"gpuusage", Field::util},
    Synonym{"usagegpu", Field::util},
    Synonym{"gpuload", Field::util},
    Synonym{"load", Field::util},
    Synonym{"dmonsm", Field::util},
    Synonym{"dcgmfidevgpuutil", Field::util},
    Synonym{"wandbgpu", Field::util},
    Synonym{"utilizationmemory", Field::memory_util},
    Synonym{"memoryutilization", Field::memory_util},
    Synonym{"utilmemory", Field::memory_util},
    Synonym{"memoryutil", Field::memory_util},
    Synonym{"memutil", Field::memory_util},
    Synonym{"memutilization", Field::memory_util},
    Synonym{"gpumemoryutil", Field::memory_util},
    Synonym{"gpumemutil", Field::memory_util},
    Synonym{"memcopyutilization", Field::memory_util},
    Synonym{"dmonmem", Field::memory_util},
    Synonym{"dcgmfidevmemcopyutil", Field::memory_util},
    Synonym{"wandbmemory", Field::memory_util},
    Synonym{"smactive", Field::sm_active},
    Synonym{"smactivity", Field::sm_active},
    Synonym{"dcgmsmactive", Field::sm_active, 100},
    Synonym{"dcgmfiprofsmactive", Field::sm_active, 100},
    Synonym{"grengineactive", Field::engine_active},
    Synonym{"dcgmgrengineactive", Field::engine_active, 100},
    Synonym{"dcgmfiprofgrengineactive", Field::engine_active, 100},
    Synonym{"utilizationjpeg", Field::jpeg},
    Synonym{"dmonjpg", Field::jpeg},

    Synonym{"memoryused", Field::memory_used, kMiB},
    Synonym{"usedmemory", Field::memory_used, kMiB},
    Synonym{"memused", Field::memory_used, kMiB},
    Synonym{"usedmem", Field::memory_used, kMiB},
    Synonym{"gpumemoryused", Field::memory_used, kMiB},
    Synonym{"gpumemused", Field::memory_used, kMiB},
    Synonym{"gpuusedmemory", Field::memory_used, kMiB},
    Synonym{"memoryusage", Field::memory_used, kMiB},
    Synonym{"memusage", Field::memory_used, kMiB},
    Synonym{"gpumemory", Field::memory_used, kMiB},
    Synonym{"gpumem", Field::memory_used, kMiB},
    Synonym{"memory", Field::memory_used, kMiB},
    Synonym{"mem", Field::memory_used, kMiB},
    Synonym{"vram", Field::memory_used, kMiB},
    Synonym{"vramused", Field::memory_used, kMiB},
    Synonym{"fbused", Field::memory_used, kMiB},
    Synonym{"dmonfb", Field::memory_used, kMiB},
    Synonym{"dcgmfidevfbused", Field::memory_used, kMiB},
    Synonym{"wandbmemoryallocatedbytes", Field::memory_used, 1},
    Synonym{"memorytotal", Field::memory_total, kMiB},
    Synonym{"totalmemory", Field::memory_total, kMiB},
    Synonym{"memtotal", Field::memory_total, kMiB},
    Synonym{"gpumemorytotal", Field::memory_total, kMiB},
    Synonym{"gpumemtotal", Field::memory_total, kMiB},
    Synonym{"vramtotal", Field::memory_total, kMiB},
    Synonym{"fbtotal", Field::memory_total, kMiB},
    Synonym{"dcgmfidevfbtotal", Field::memory_total, kMiB},

    Synonym{"powerdraw", Field::power},
    Synonym{"powerdrawaverage", Field::power},
    Synonym{"power", Field::power},
    Synonym{"powerusage", Field::power},
    Synonym{"gpupower", Field::power},
    Synonym{"gpupowerdraw", Field::power},
    Synonym{"dmonpwr", Field::power},
    Synonym{"dcgmfidevpowerusage", Field::power},
    Synonym{"wandbpowerwatts", Field::power},
    Synonym{"powerdrawinstant", Field::power_instant},
    Synonym{"powerusageinstant", Field::power_instant},
    Synonym{"dcgmfidevpowerusageinstant", Field::power_instant},
    Synonym{"powerlimit", Field::power_limit},
    Synonym{"enforcedpowerlimit", Field::power_limit},
    Synonym{"powercap", Field::power_limit},
    Synonym{"gpupowerlimit", Field::power_limit},
    Synonym{"powermanagementlimit", Field::power_limit},
    Synonym{"dcgmfidevpowermgmtlimit", Field::power_limit},
    Synonym{"dcgmfidevenforcedpowerlimit", Field::power_limit},
    Synonym{"wandbenforcedpowerlimitwatts", Field::power_limit},
    Synonym{"totalenergyconsumption", Field::energy, 1e-3},
    Synonym{"dcgmfidevtotalenergyconsumption", Field::energy, 1e-3},
    Synonym{"clockssm", Field::sm_clock},
    Synonym{"clockscurrentsm", Field::sm_clock},
    Synonym{"clocksgr", Field::sm_clock},
    Synonym{"clockscurrentgraphics", Field::sm_clock},
    Synonym{"smclock", Field::sm_clock},
    Synonym{"clocksm", Field::sm_clock},
    Synonym{"gpuclock", Field::sm_clock},
    Synonym{"graphicsclock", Field::sm_clock},
    Synonym{"gpufrequency", Field::sm_clock},
    Synonym{"gpufreq", Field::sm_clock},
    Synonym{"dmonpclk", Field::sm_clock},
    Synonym{"dcgmfidevsmclock", Field::sm_clock},
    Synonym{"clocksmaxsm", Field::sm_clock_max},
    Synonym{"clocksmaxgraphics", Field::sm_clock_max},
    Synonym{"smclockmax", Field::sm_clock_max},
    Synonym{"maxsmclock", Field::sm_clock_max},
    Synonym{"dcgmfidevmaxsmclock", Field::sm_clock_max},
    Synonym{"temperaturegpu", Field::temperature},
    Synonym{"gputemperature", Field::temperature},
    Synonym{"temperature", Field::temperature},
    Synonym{"temp", Field::temperature},
    Synonym{"gputemp", Field::temperature},
    Synonym{"tempgpu", Field::temperature},
    Synonym{"dmongtemp", Field::temperature},
    Synonym{"dcgmfidevgputemp", Field::temperature},

    Synonym{"clocksthrottlereasonsactive", Field::slow_reasons},
    Synonym{"clockseventreasonsactive", Field::slow_reasons},
    Synonym{"currentclockthrottlereasons", Field::slow_reasons},
    Synonym{"clockthrottlereasons", Field::slow_reasons},
    Synonym{"throttlereasons", Field::slow_reasons},
    Synonym{"dcgmfidevclockthrottlereasons", Field::slow_reasons},
    Synonym{"dcgmfidevclockseventreasons", Field::slow_reasons},
    Synonym{"reasonsgpuidle", Field::slow_reason, 1, kSlowIdle},
    Synonym{"reasonsapplicationsclockssetting", Field::slow_reason, 1, kSlowApplicationClocks},
    Synonym{"reasonsswpowercap", Field::slow_reason, 1, kSlowPowerCap},
    Synonym{"reasonshwslowdown", Field::slow_reason, 1, kSlowHardware},
    Synonym{"reasonssyncboost", Field::slow_reason, 1, kSlowSyncBoost},
    Synonym{"reasonsswthermalslowdown", Field::slow_reason, 1, kSlowThermal},
    Synonym{"reasonshwthermalslowdown", Field::slow_reason, 1, kSlowHardwareThermal},
    Synonym{"reasonshwpowerbrakeslowdown", Field::slow_reason, 1, kSlowPowerBrake},

    Synonym{"pcielinkgencurrent", Field::pcie_generation},
    Synonym{"pcielinkgengpucurrent", Field::pcie_generation},
    Synonym{"dcgmfidevpcielinkgen", Field::pcie_generation},
    Synonym{"pcielinkgenmax", Field::pcie_generation_max},
    Synonym{"pcielinkgengpumax", Field::pcie_generation_max},
    Synonym{"dcgmfidevpciemaxlinkgen", Field::pcie_generation_max},
    Synonym{"pcielinkwidthcurrent", Field::pcie_width},
    Synonym{"dcgmfidevpcielinkwidth", Field::pcie_width},
    Synonym{"pcielinkwidthmax", Field::pcie_width_max},
    Synonym{"dcgmfidevpciemaxlinkwidth", Field::pcie_width_max},
    Synonym{"dmonrxpci", Field::pcie_rx, 1e6},
    Synonym{"dmontxpci", Field::pcie_tx, 1e6},
    Synonym{"dcgmfiprofpcierxbytes", Field::pcie_rx},
    Synonym{"dcgmfiprofpcietxbytes", Field::pcie_tx},

    Synonym{"cpu", Field::host_cpu},
    Synonym{"cpuutil", Field::host_cpu},
    Synonym{"cpuutilization", Field::host_cpu},
    Synonym{"cpuusage", Field::host_cpu},
    Synonym{"wandbcpu", Field::host_cpu},
};

const Synonym* find_synonym(std::string_view name) {
  // nvidia-smi renamed these from one driver to the next.
  for (const std::string_view prefix : {"clocksthrottle", "clocksevent"})
    if (name.starts_with(prefix) && !name.ends_with("active")) name.remove_prefix(prefix.size());
  const auto found = std::ranges::find(kSynonyms, name, &Synonym::name);
  if (found != kSynonyms.end()) return &*found;
  for (const std::string_view dialect : {"dcgm", "wandb"})
    if (name.starts_with(dialect)) return find_synonym(name.substr(dialect.size()));
  return nullptr;
}

constexpr std::size_t kLongestName = 128;

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

std::optional<int> small_number(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 || number > 1023)
    return std::nullopt;
  return number;
}

std::vector<std::string> name_parts(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (is_alnum(c)) {
      parts.back().push_back(c);
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// Takes a GPU's number out of a name: "gpu 0 util", "gpu0 util", "util 0".
std::optional<int> take_gpu_number(std::vector<std::string>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool behind_gpu = i > 0 && parts[i - 1] == "gpu", last = i > 0 && i + 1 == parts.size();
    if (behind_gpu || last) {
      if (const auto number = small_number(parts[i])) {
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
        return number;
      }
    }
    if (parts[i].size() > 3 && parts[i].starts_with("gpu")) {
      if (const auto number = small_number(std::string_view(parts[i]).substr(3))) {
        parts[i] = "gpu";
        return number;
      }
    }
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& parts, std::size_t count) {
  std::string name;
  for (std::size_t i = 0; i < count; ++i) name += parts[i];
  return name;
}

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
Bounds bounds_of(Field field) {
  switch (measure_of(field)) {
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

Column find_column(std::string_view header) {
  if (header.size() > kLongestName) return {};
  std::string name = lower(trimmed(header));
  std::string unit;
  if (const std::size_t open = name.find_first_of("[("); open != std::string::npos && open > 0) {
    const std::size_t close = std::min(name.find_first_of("])", open), name.size());
    unit = trimmed(std::string_view(name).substr(open + 1, close - open - 1));
    name.resize(open);
  }
  std::vector<std::string> parts = name_parts(name);
  const bool of_host = !parts.empty() && parts[0] == "system";  // W&B: "system.cpu", "system.gpu.0.gpu"
  if (of_host) parts[0] = "wandb";
  Column column;
  column.gpu = take_gpu_number(parts);
  const Synonym* synonym = find_synonym(joined(parts, parts.size()));
  if (synonym == nullptr && parts.size() > 1 && find_unit(parts.back()) != nullptr) {
    unit = parts.back();
    synonym = find_synonym(joined(parts, parts.size() - 1));
  }
  if (synonym == nullptr) return {};
  column.field = synonym->field;
  column.factor = synonym->factor;
  column.bit = synonym->bit;
  const Unit* known_unit = find_unit(unit);
  if (column.field == Field::gpu && (column.gpu || (known_unit && known_unit->measure == Measure::percent)))
    column.field = Field::util;
  if (of_host && !column.gpu && column.field != Field::host_cpu && column.field != Field::time) return {};
  if (known_unit == nullptr) return column;
  if (known_unit->measure == measure_of(column.field)) {
    column.factor = known_unit->factor;
  } else if (measure_of(column.field) != Measure::none) {
    return {};  // "memory.used [%]" is no amount
  }
  return column;
}

std::optional<double> number_of(const Column& column, std::string_view cell) {
  const auto number = split_number(cell);
  if (!number) return std::nullopt;
  double value = number->value * column.factor;
  if (!number->unit.empty()) {
    const Unit* unit = find_unit(lower(number->unit));
    if (unit == nullptr || unit->measure != measure_of(column.field)) return std::nullopt;
    value = number->value * unit->factor;
  } else {
    // NVML's own units, which scripts forget to convert or to name: bytes, milliwatts, MHz as "GHz".
    const Measure measure = measure_of(column.field);
    if (measure == Measure::bytes && number->value >= 0x1p24) value = number->value;
    if (measure == Measure::watts && value >= 5000) value = number->value * 1e-3;
    if (measure == Measure::megahertz && value >= 1e5 && column.factor > 1) value = number->value;
  }
  const Bounds bounds = bounds_of(column.field);
  if (!(value >= bounds.least && value <= bounds.most)) return std::nullopt;
  return measure_of(column.field) == Measure::percent ? std::min(value, 100.0) : value;
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
    if (before == allowed) return small_number(cell.substr(cell.size() - digits));
  return std::nullopt;
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
