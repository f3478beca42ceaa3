#include "cli/exit_status.hpp"

namespace stoker::cli {

ExitStatus exit_status(const Error& error, const OptionWords& options) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
      // A folder that holds no classes is also an invalid argument of the library's: of the call, only what
      // its options say is.
      return options.is_about_option(error) ? kUsage : kFailed;
    case ErrorCode::cancelled:
      return kInterrupted;
    case ErrorCode::not_found:
    case ErrorCode::corrupt_data:
    case ErrorCode::unsupported:
    case ErrorCode::io:
    case ErrorCode::unavailable:
    case ErrorCode::out_of_resources:
    case ErrorCode::internal:
      return kFailed;
  }
  return kFailed;
}

}  // namespace stoker::cli
