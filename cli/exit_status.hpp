// What the program's exit status says, and the one table from errors to it.
#pragma once

#include "stoker/error.hpp"

#include "cli/option_words.hpp"

namespace stoker::cli {

enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,         // what the call names is missing, unusable, damaged, occupied, or the work went wrong
  kUsage = 2,          // the call itself is wrong: a verb, an option, its value, a word too many or too few
  kCheckNotMet = 3,    // `verify` found something bad
  kInterrupted = 130,  // SIGINT, SIGTERM or SIGHUP, after a clean stop
};

// `options` are those of the verb that failed.
ExitStatus exit_status(const Error& error, const OptionWords& options);

}  // namespace stoker::cli
