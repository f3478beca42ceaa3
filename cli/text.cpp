#include "cli/text.hpp"

#include <fmt/format.h>

namespace stoker::cli {

std::string place_of(const BadRecord& bad) {
  std::string place = bad.container;
  if (bad.offset > 0 || place.ends_with(".rec")) place += fmt::format(" at offset {}", bad.offset);
  if (!bad.key.empty() && !bad.container.ends_with(bad.key)) place += ", key " + bad.key;
  return place;
}

}  // namespace stoker::cli
