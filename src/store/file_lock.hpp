// A lock that one process at a time holds, by a hidden file beside what it guards.
#pragma once

#include <chrono>
#include <string>

#include "base/descriptor.hpp"

namespace stoker::store {

// Held by a lock on the file .NAME.lock beside the local path that it guards, which goes with the process,
// however it ends. Paths of other stores, and file systems without locks, are not guarded.
class FileLock {
 public:
  // Waits for the holder. Errors: unavailable (it holds on for longer than `patience`), io.
  explicit FileLock(const std::string& guarded, std::chrono::seconds patience = std::chrono::seconds(120));
  // Removes the file.
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::string path_;
  Descriptor lock_;  // none: a place without locks
};

}  // namespace stoker::store
