#include "train/prefix_lock.hpp"

#include <chrono>

#include "stoker/error.hpp"

namespace stoker::training {

PrefixLock::PrefixLock(const std::string& prefix) {
  try {
    lock_.emplace(prefix, std::chrono::seconds(0));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    throw Error(ErrorCode::unavailable, {.operation = "lock checkpoints",
                                         .object = error.parts().object,
                                         .found = "another training writes checkpoints under this prefix",
                                         .next_step = "wait for it, or give another --model-prefix"});
  }
}

}  // namespace stoker::training
