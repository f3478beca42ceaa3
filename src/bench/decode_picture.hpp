// What `bench decode` measured, as a picture.
#pragma once

#include <string>

#include "bench/decode_bench.hpp"

namespace stoker::bench {

// One HTML page, well-formed as XML, that needs no network and no script: a bar for each route with its
// spread, a table of all figures, and where they were taken. `version`: the program's.
std::string decode_picture(const DecodeBenchReport& report, const std::string& version);

}  // namespace stoker::bench
