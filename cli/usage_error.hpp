// A call that is wrong in itself: exit status 2.
#pragma once

#include <stdexcept>
#include <string>

namespace stoker::cli {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "; did you mean NAME?", or nothing where no name is near.
std::string did_you_mean(const std::string& nearest);

}  // namespace stoker::cli
