// One training at a time under a prefix of checkpoints.
#pragma once

#include <optional>
#include <string>

#include "store/file_lock.hpp"

namespace stoker::training {

// Held by the hidden file .NAME.lock beside the checkpoints, as store::FileLock does it.
class PrefixLock {
 public:
  // Errors: unavailable (another process holds it), io.
  explicit PrefixLock(const std::string& prefix);

 private:
  std::optional<store::FileLock> lock_;
};

}  // namespace stoker::training
