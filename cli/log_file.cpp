#include "cli/log_file.hpp"

#include <array>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/os_error.hpp"

namespace stoker::cli {

LogFile::LogFile(const std::string& path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (!file_) throw os_error("open log file", path, errno);
}

void LogFile::line(std::string_view text) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> stamp{};
  std::strftime(stamp.data(), stamp.size(), "%FT%TZ", &utc);
  const std::string line = fmt::format("{} {}\n", stamp.data(), text);
  // One call a line, so that lines of several writers do not mix.
  while (::write(file_.get(), line.data(), line.size()) < 0 && errno == EINTR) {
  }
}

}  // namespace stoker::cli
