// What the bench verbs share.
#pragma once

#include <string>

#include "bench/spread.hpp"
#include "cli/json.hpp"

namespace stoker::cli {

// {"min": …, "median": …, "max": …}
Json spread_json(const bench::Spread& spread);
// "0.982 (0.97-0.99)"
std::string told(const bench::Spread& spread);

}  // namespace stoker::cli
