// Words of the program's own, beside those of show/text.hpp.
#pragma once

#include <string>

#include "stoker/record.hpp"

#include "show/text.hpp"

namespace stoker::cli {

using show::counted;
using show::display_width;
using show::grouped;
using show::percent;
using show::printable;
using show::short_number;
using show::Table;
using show::wrap;

// Where a bad record lies, for people: "x.rec at offset 96, key 7". Of a file of its own neither offset nor a
// key that its path ends with is told.
std::string place_of(const BadRecord& bad);

}  // namespace stoker::cli
