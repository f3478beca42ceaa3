// The class map: names by label.
#pragma once

#include <string>
#include <vector>

#include "stoker/store.hpp"

namespace stoker::record {

// One name a line; blank lines at the end are left out. `url` is opened by the store that serves it.
// Errors: not_found, invalid_argument (no name, a blank line between names, a name twice: the lines are
// named).
std::vector<std::string> read_classes_file(const std::string& url);

}  // namespace stoker::record
