// The counters that Stoker's loader publishes, of any process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stoker/watch.hpp"

#include "watch/linux/process_watch.hpp"

namespace stoker::watch {

// Empty where the process has no such file, or one that is another process's; `fault` then tells of a file
// that is there and cannot be read.
std::optional<LoaderSeen> read_loader(const ProcessWatch& process, const std::string& proc_root,
                                      std::string& fault);

}  // namespace stoker::watch
