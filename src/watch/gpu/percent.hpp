// Percentages as drivers tell them.
#pragma once

#include <fmt/format.h>

#include "stoker/reading.hpp"

namespace stoker::watch {

// Garbage beyond 0..100 is unknown.
inline Reading<double> to_percent(double value) {
  if (value >= 0 && value <= 100) return value;
  return Reading<double>::unknown(fmt::format("the driver told garbage: {:.0f} %", value));
}

}  // namespace stoker::watch
