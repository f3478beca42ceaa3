#include "store/leftovers.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"

namespace stoker::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".stoker-";
constexpr std::string_view kEnding = ".tmp";

// All temporary names of a final name begin so.
std::string prefix_of(const std::string& name) {
  constexpr std::size_t kRoomForName = 200;  // of the 255 bytes that file systems allow
  return fmt::format(".{}{}", name.substr(0, kRoomForName), kMark);
}

bool is_temporary(std::string_view name) {
  return name.starts_with('.') && name.ends_with(kEnding) && name.find(kMark) != std::string_view::npos;
}

// The number of the process that wrote `temporary`, or 0 if it is not "PREFIX PID - N .tmp".
pid_t writer_of(std::string_view temporary, std::string_view prefix) {
  if (!temporary.starts_with(prefix) || !temporary.ends_with(kEnding)) return 0;
  temporary.remove_prefix(prefix.size());
  pid_t pid = 0;
  const char* end = temporary.data() + temporary.size();
  const auto number = std::from_chars(temporary.data(), end, pid);
  if (number.ec != std::errc{} || pid <= 0 || number.ptr == end || *number.ptr != '-') return 0;
  std::uint64_t count = 0;
  const auto last = std::from_chars(number.ptr + 1, end, count);
  return last.ec == std::errc{} && std::string_view(last.ptr, end) == kEnding ? pid : 0;
}

// Two proofs are asked for. The number of a process says nothing about another machine or container that
// writes into the same folder: there the writer's lock does. Where locks do not work, nothing is removed. A
// number that is this process's own is a dead one's that was given again: our own files are locked.
bool remove_if_left(const std::string& path, pid_t writer, mode_t kind) {
  if (writer != ::getpid() && (::kill(writer, 0) == 0 || errno != ESRCH)) return false;
  const int access = kind == S_IFDIR ? O_RDONLY | O_DIRECTORY : O_WRONLY;
  const Descriptor fd(::open(path.c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || (status.st_mode & S_IFMT) != kind ||
      ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
    return false;
  if (kind == S_IFREG) return ::unlink(path.c_str()) == 0;
  std::error_code failed;
  fs::remove_all(path, failed);
  return !failed;
}

std::vector<std::string> temporaries_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::string name = entry->path().filename().string();
    if (is_temporary(name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

std::string temporary_name(const std::string& name) {
  static std::atomic<std::uint64_t> counter{0};
  return fmt::format("{}{}-{}{}", prefix_of(name), ::getpid(), counter.fetch_add(1), kEnding);
}

std::string final_name_of(std::string_view temporary) {
  if (!is_temporary(temporary)) return "";
  return std::string(temporary.substr(1, temporary.rfind(kMark) - 1));
}

bool claim_temporary(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;  // else: locks do not work here
  struct stat status{};
  return ::fstat(fd, &status) != 0 || status.st_nlink > 0;
}

void Leftovers::remove(const std::string& folder, const std::string& name) {
  const MutexLock lock(mutex_);
  const auto [entry, is_new] = found_.try_emplace(folder);
  if (is_new) entry->second = temporaries_in(folder);
  if (entry->second.empty()) return;
  const std::string prefix = prefix_of(name);
  std::erase_if(entry->second, [&](const std::string& temporary) {
    const pid_t writer = writer_of(temporary, prefix);
    return writer != 0 && remove_if_left((fs::path(folder) / temporary).string(), writer, S_IFREG);
  });
}

void remove_left_folders(const std::string& folder, const std::string& name) {
  for (const std::string& temporary : temporaries_in(folder)) {
    const pid_t writer = writer_of(temporary, prefix_of(name));
    if (writer != 0) remove_if_left((fs::path(folder) / temporary).string(), writer, S_IFDIR);
  }
}

}  // namespace stoker::store
