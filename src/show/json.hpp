// JSON as Stoker prints it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "stoker/reading.hpp"

namespace stoker::show {

// Members keep their order.
using Json = nlohmann::ordered_json;

// Rounded to what a measurement can tell (6 significant digits), null where it is not finite or not known.
Json measured(double value);
Json measured(const std::optional<double>& value);
Json measured(const Reading<double>& value);

// One line. Bytes of a name that are no UTF-8 come out as U+FFFD.
std::string json_line(const Json& object);

}  // namespace stoker::show
