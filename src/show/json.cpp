#include "show/json.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace stoker::show {

std::string json_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json measured(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json measured(const std::optional<double>& value) { return value ? measured(*value) : Json(nullptr); }

Json measured(const Reading<double>& value) { return measured(value.optional()); }

}  // namespace stoker::show
