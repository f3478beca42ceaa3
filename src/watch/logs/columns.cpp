#include "watch/logs/columns.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "stoker/watch.hpp"

#include "watch/logs/log_text.hpp"

namespace stoker::watch {

namespace {

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
      if (const auto number = gpu_index(parts[i])) {
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
        return number;
      }
    }
    if (parts[i].size() > 3 && parts[i].starts_with("gpu")) {
      if (const auto number = gpu_index(std::string_view(parts[i]).substr(3))) {
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
  if (of_host && column.gpu && parts[1] == "gpu") parts.erase(parts.begin() + 1);
  const Synonym* synonym = find_synonym(joined(parts, parts.size()));
  if (synonym == nullptr && parts.size() > 1 && find_unit(parts.back()) != nullptr) {
    unit = parts.back();
    synonym = find_synonym(joined(parts, parts.size() - 1));
  }
  if (synonym == nullptr) return {};
  column.field = synonym->field;
  column.factor = synonym->factor;
  column.bit = synonym->bit;
  column.measure = measure_of(synonym->field);
  const Unit* known_unit = find_unit(unit);
  if (column.field == Field::gpu && (column.gpu || (known_unit && known_unit->measure == Measure::percent)))
    column.field = Field::util, column.measure = Measure::percent;
  if (of_host && !column.gpu && column.field != Field::host_cpu && column.field != Field::time) return {};
  if (known_unit == nullptr) return column;
  if (known_unit->measure == column.measure) {
    column.factor = known_unit->factor;
  } else if (column.measure != Measure::none) {
    return {};  // "memory.used [%]" is no amount
  }
  return column;
}

}  // namespace stoker::watch
