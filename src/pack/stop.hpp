// Stopping on request.
#pragma once

#include <atomic>
#include <string>

#include "stoker/error.hpp"

namespace stoker::packing {

// Errors: cancelled.
inline void stop_if(const std::atomic<bool>* cancel, const std::string& object) {
  if (!cancel || !cancel->load(std::memory_order_relaxed)) return;
  throw Error(
      ErrorCode::cancelled,
      {.operation = "pack",
       .object = object,
       .found = "stopped on request",
       .next_step =
           "nothing was written under the final names; finished shards of several wait for --resume"});
}

}  // namespace stoker::packing
