// A report as one JSON object, `stoker.doctor/1` of docs/command-line.md.
#pragma once

#include "stoker/doctor.hpp"

#include "show/json.hpp"

namespace stoker::show {

Json report_json(const Report& report, const std::vector<Check>& checks = {});

}  // namespace stoker::show
