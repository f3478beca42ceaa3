#include "store/file_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "stoker/error.hpp"

#include "base/os_error.hpp"
#include "store/local_store.hpp"

namespace stoker::store {

namespace {

constexpr int kFolderTries = 100;

// Whether the name still leads to the file that is locked: the holder before may have removed it meanwhile.
bool still_there(int fd, const std::string& path) {
  struct stat held{}, named{};
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(const std::string& guarded, std::chrono::seconds patience) {
  const std::string_view scheme = scheme_of(guarded);
  if (!scheme.empty() && scheme != "file") return;
  const std::filesystem::path path(local_path(guarded));
  path_ = (path.parent_path() / ("." + path.filename().string() + ".lock")).string();
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (int tries = 0;;) {
    std::error_code made;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), made);
    Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    // The holder before may remove the folder, too, at this very moment.
    if (!file && errno == ENOENT && !made && ++tries < kFolderTries) continue;
    if (!file && made) throw os_error("create folder", path.parent_path().string(), made.value());
    if (!file) throw os_error("lock", path_, errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!still_there(file.get(), path_)) continue;
      lock_ = std::move(file);
      return;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks
    if (std::chrono::steady_clock::now() >= deadline)
      throw Error(ErrorCode::unavailable, {.operation = "lock",
                                           .object = path_,
                                           .found = "another process holds it",
                                           .next_step = "wait for it"});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// The file under that name may be another's by now, who locked it when ours was gone with its folder.
FileLock::~FileLock() {
  if (lock_ && still_there(lock_.get(), path_)) ::unlink(path_.c_str());
}

}  // namespace stoker::store
