// Where a sample set grows before it appears under its names.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace stoker::bench {

// Owns: a hidden folder within the target folder, locked while it is being filled. What a killed process left
// there is removed first. Destroyed before publish(), it is removed with all in it, and so are the target and
// its parents where this made them.
class SynthStaging {
 public:
  // Errors: io, out_of_resources, invalid_argument (a file in the place of a folder).
  explicit SynthStaging(const std::string& target);
  ~SynthStaging();
  SynthStaging(const SynthStaging&) = delete;
  SynthStaging& operator=(const SynthStaging&) = delete;

  const std::string& path() const { return path_; }
  // Moves the sub-folders `names` into the target, where they are absent or empty: all or, on failure, none.
  // Errors: io.
  void publish(const std::vector<std::string>& names);

 private:
  void remove();
  [[noreturn]] void give_up(const char* operation);  // tells errno

  std::string target_;
  std::string path_;
  std::vector<std::string> made_;  // folders that were missing, the innermost first
  Descriptor lock_;
  bool published_ = false;
};

}  // namespace stoker::bench
