#include "train/prefix_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "stoker/error.hpp"

#include "store/os_error.hpp"

namespace stoker::training {

namespace {

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
    store::Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file) throw store::os_error("lock checkpoints", path_, errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return;  // a file system without locks
      throw Error(ErrorCode::unavailable, {.operation = "lock checkpoints",
                                           .object = path_,
                                           .found = "another training writes checkpoints under this prefix",
                                           .next_step = "wait for it, or give another --model-prefix"});
    }
    if (!still_there(file.get(), path_)) continue;
    lock_ = std::move(file);
    return;
  }
}

PrefixLock::~PrefixLock() {
  if (lock_) ::unlink(path_.c_str());
}

}  // namespace stoker::training
