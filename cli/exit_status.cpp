#include "cli/exit_status.hpp"

namespace stoker::cli {

ExitStatus exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return kUsage;
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
