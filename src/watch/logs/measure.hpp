// Units that logs write behind their numbers.
#pragma once

#include <string_view>

namespace stoker::watch {

enum class Measure { none, percent, bytes, watts, joules, megahertz, celsius, bytes_per_s, seconds };

struct Unit {
  std::string_view name;
  Measure measure;
  double factor;  // to the measure's own unit, which its name says
};

inline constexpr double kMiB = 0x1p20;

// By its name in lower case; null where it is none.
const Unit* find_unit(std::string_view name);

}  // namespace stoker::watch
