// What the operating system said, as an Error that names the object.
#pragma once

#include <string>

#include "stoker/error.hpp"

namespace stoker {

// The code for an errno: not_found, out_of_resources (space, quota, descriptors, memory), unavailable (a
// network file system that may answer later), else io.
ErrorCode code_of_errno(int error_number);

// `operation` on `path` failed with `error_number`.
Error os_error(std::string operation, const std::string& path, int error_number);

}  // namespace stoker
