#include "cli/log_file.hpp"

#include <array>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "stoker/error.hpp"

namespace stoker::cli {

LogFile::LogFile(std::string path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ >= 0) return;
  throw Error(
      errno == ENOENT ? ErrorCode::not_found : ErrorCode::io,
      {.operation = "open log file", .object = path_, .found = std::generic_category().message(errno)});
}

LogFile::~LogFile() { ::close(descriptor_); }

void LogFile::line(std::string_view text) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> stamp{};
  std::strftime(stamp.data(), stamp.size(), "%FT%TZ", &utc);
  const std::string line = fmt::format("{} {}\n", stamp.data(), text);
  // One call a line, so that lines of several writers do not mix.
  while (::write(descriptor_, line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace stoker::cli
