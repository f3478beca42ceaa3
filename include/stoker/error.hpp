// The one exception type of Stoker, and the codes that every door (C++, command line, Python) shares.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace stoker {

// What kind of failure it is. One table maps codes to exit statuses and to Python exceptions.
enum class ErrorCode {
  invalid_argument,  // the caller asked for something that no input could make right
  not_found,         // the named object does not exist
  corrupt_data,      // the object exists and its bytes break their format
  unsupported,       // well formed, and beyond what this build can do
  io,                // the operating system or the network refused
  unavailable,       // may be retried
  out_of_resources,  // memory, disk space, descriptors, or a limit such as max_pixels
  cancelled,         // stopped on request
  internal,          // a fault of Stoker's
};

// The code's name as users meet it, for example "corrupt_data".
std::string_view to_string(ErrorCode code);

// What an error has to tell: every part is a fragment of a sentence, and an empty part is left out.
struct ErrorParts {
  std::string operation;  // "read record", "decode"
  std::string object;     // the path, URL, option or key, with the offset where there is one
  std::string found;      // what was met
  std::string allowed;    // what would have been right
  std::string next_step;  // what to do now
};

// An error with its code and parts; what() is one line: operation object: found; allowed: …; next step.
class Error : public std::exception {
 public:
  Error(ErrorCode code, ErrorParts parts);

  ErrorCode code() const noexcept { return code_; }
  const ErrorParts& parts() const noexcept { return parts_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  ErrorParts parts_;
  std::string message_;
};

}  // namespace stoker
