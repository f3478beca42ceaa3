// A folder for what a measurement writes.
#pragma once

#include <string>

namespace stoker::bench {

// Owns: a new folder within `parent` (default: the system's temporary folder), removed with all in it on
// destruction.
class WorkDir {
 public:
  // Errors: io.
  explicit WorkDir(const std::string& parent);
  ~WorkDir();
  WorkDir(const WorkDir&) = delete;
  WorkDir& operator=(const WorkDir&) = delete;

  std::string path(const std::string& name) const { return root_ + "/" + name; }

 private:
  std::string root_;
};

}  // namespace stoker::bench
