// JSON as the program prints it: one object a line, each with its schema.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace stoker::cli {

// Members keep their order.
using Json = nlohmann::ordered_json;

// {"schema": "stoker.VERB/1"}, to be filled; a two-word verb is spelled "bench.decode".
Json json_object(std::string_view verb);

// One line. Bytes of a name that are no UTF-8 come out as U+FFFD.
std::string json_line(const Json& object);

// Rounded to what a measurement can tell (6 significant digits), null where it is not finite.
Json measured(double value);
Json measured(const std::optional<double>& value);
// With as few digits as read back to the same float.
Json exact(float value);

// Eight hex digits, as CRCs are written everywhere.
std::string hex32(std::uint32_t value);

}  // namespace stoker::cli
