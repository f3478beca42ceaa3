#include "watch/logs/measure.hpp"

#include <algorithm>
#include <array>

namespace stoker::watch {

namespace {

// What NVIDIA's tools and scripts on NVML call MB and GB are powers of two.
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

}  // namespace

const Unit* find_unit(std::string_view name) {
  const auto found = std::ranges::find(kUnits, name, &Unit::name);
  return found == kUnits.end() ? nullptr : &*found;
}

}  // namespace stoker::watch
