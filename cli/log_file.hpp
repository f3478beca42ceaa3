// Lines for people in a file of their own, each with its time.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace stoker::cli {

// Appends; earlier lines stay. Threads: one at a time.
class LogFile {
 public:
  // Errors: io, not_found (the folder).
  explicit LogFile(const std::string& path);

  // "2026-11-30T17:20:01Z text". A line that cannot be written is lost: a full disk must not end a
  // training.
  void line(std::string_view text);

 private:
  Descriptor file_;
};

}  // namespace stoker::cli
