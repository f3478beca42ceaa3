#include "train/prefix_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "stoker/error.hpp"

namespace stoker::training {

namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& path, std::string found,
                         std::string next_step = {}) {
  throw Error(code, {.operation = "lock checkpoints",
                     .object = path,
                     .found = std::move(found),
                     .next_step = std::move(next_step)});
}

// Whether the name still leads to the file that is locked: the holder before may have removed it meanwhile.
bool still_there(int fd, const std::string& path) {
  struct stat held{}, named{};
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

PrefixLock::PrefixLock(const std::string& prefix) {
  const std::size_t slash = prefix.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  path_ = prefix.substr(0, name) + "." + prefix.substr(name) + ".lock";
  if (prefix.find("://") != std::string::npos) return;
  while (true) {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0) refuse(ErrorCode::io, path_, std::generic_category().message(errno));
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(fd_);
      if (error == EWOULDBLOCK)
        refuse(ErrorCode::unavailable, path_, "another training writes checkpoints under this prefix",
               "wait for it, or give another --model-prefix");
      fd_ = -1;
      return;  // a file system without locks
    }
    if (still_there(fd_, path_)) return;
    ::close(fd_);
  }
}

PrefixLock::~PrefixLock() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace stoker::training
