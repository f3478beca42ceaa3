// What the program's exit status says, and the one table from error codes to it.
#pragma once

#include "stoker/error.hpp"

namespace stoker::cli {

enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,          // the call was wrong: a flag, value, unit, verb, or options that no input could serve
  kCheckNotMet = 3,    // `verify` found something bad
  kInterrupted = 130,  // SIGINT or SIGTERM, after a clean stop
};

ExitStatus exit_status(ErrorCode code);

}  // namespace stoker::cli
