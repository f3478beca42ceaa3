#include "cli/json.hpp"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace stoker::cli {

Json json_object(std::string_view verb) { return {{"schema", fmt::format("stoker.{}/1", verb)}}; }

Json exact(float value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

std::string hex32(std::uint32_t value) { return fmt::format("{:08x}", value); }

}  // namespace stoker::cli
