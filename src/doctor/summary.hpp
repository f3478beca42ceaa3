// The verdict in one sentence.
#pragma once

#include <string>

#include "stoker/doctor.hpp"

namespace stoker::doctor {

// `why` is the finding's clause. Reads everything else from the report, which is complete but for `summary`.
std::string summary_of(const Report& report, const std::string& why, std::size_t gpus,
                       std::optional<double> busy);

}  // namespace stoker::doctor
