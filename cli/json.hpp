// JSON as the program prints it: one object a line, each with its schema.
#pragma once

#include <string>
#include <string_view>

#include "show/json.hpp"

namespace stoker::cli {

using show::Json;
using show::json_line;
using show::measured;

// {"schema": "stoker.VERB/1"}, to be filled; a two-word verb is spelled "bench.decode".
Json json_object(std::string_view verb);

// With as few digits as read back to the same float.
Json exact(float value);

// Eight hex digits, as CRCs are written everywhere.
std::string hex32(std::uint32_t value);

}  // namespace stoker::cli
