// One training at a time under a prefix of checkpoints.
#pragma once

#include <string>

#include "store/descriptor.hpp"

namespace stoker::training {

// Held by a lock on the hidden file .NAME.lock beside the checkpoints, which goes with the process, however
// it ends. Only local folders are guarded.
class PrefixLock {
 public:
  // Errors: unavailable (another process holds it), io.
  explicit PrefixLock(const std::string& prefix);
  // Removes the file.
  ~PrefixLock();
  PrefixLock(const PrefixLock&) = delete;
  PrefixLock& operator=(const PrefixLock&) = delete;

 private:
  std::string path_;
  store::Descriptor lock_;  // none: a place without locks
};

}  // namespace stoker::training
