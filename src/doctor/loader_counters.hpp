// Stoker's own loader: exact counters in the place of estimates.
#pragma once

#include "stoker/watch.hpp"

#include "doctor/window.hpp"

namespace stoker::doctor {

struct Measures;

// Replaces what was estimated by what the loader counted, where one is there and delivers.
void take_loader_counters(const Trace& trace, const Window& window, Measures& measures);

// Images a second that Stoker's loaders delivered.
std::optional<double> images_counted(const Trace& trace, const Window& window);

}  // namespace stoker::doctor
