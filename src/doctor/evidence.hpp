// What the verdict stands on, with units and sources, and what is missing for a better one.
#pragma once

#include <vector>

#include "stoker/doctor.hpp"

#include "doctor/io.hpp"
#include "doctor/measures.hpp"
#include "doctor/speed.hpp"

namespace stoker::doctor {

inline constexpr const char* kWaitsForData = "training waits for data";

std::vector<Evidence> evidence_of(const Measures& m, const IoMeasures& io, const Speed& speed);

CpuSummary cpu_summary(const Measures& m);

// What was asked for and not seen, and what would have made the verdict surer.
std::vector<NotSeen> unknowns_of(const Trace& trace, const Measures& m, bool watched);

}  // namespace stoker::doctor
