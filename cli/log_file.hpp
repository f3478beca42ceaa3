// Lines for people in a file of their own, each with its time.
#pragma once

#include <string>
#include <string_view>

namespace stoker::cli {

// Appends; earlier lines stay. Threads: one at a time.
class LogFile {
 public:
  // Errors: io, not_found (the folder).
  explicit LogFile(std::string path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // "2026-11-30T17:20:01Z text". A line that cannot be written is lost: a full disk must not end a
  // training.
  void line(std::string_view text);

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace stoker::cli
