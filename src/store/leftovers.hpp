// Temporary files and folders: their names, and those that killed writers left behind.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"

namespace stoker::store {

// A hidden name for a file or folder that will be `name`: .NAME.stoker-PID-N.tmp, unique among the writers of
// a process.
std::string temporary_name(const std::string& name);

// The NAME of a temporary file or folder, or "" where `temporary` is no such name. Of a very long NAME its
// beginning.
std::string final_name_of(std::string_view temporary);

// Marks an open temporary file or folder as being written, until its descriptor is closed or the process
// ends. False: it is gone, or another process just looks whether it is a leftover; take a new one.
bool claim_temporary(int fd);

// Finds and removes leftovers. Threads: safe from many.
// Cost: one listing of a folder the first time that it is asked about, nearly nothing then; leftovers that
// appear later are the next store's.
class Leftovers {
 public:
  // Removes what writers of `name` in `folder` left whose process is gone. A file that anybody may still be
  // writing, on this machine or another, stays; so does what cannot be removed. Never fails.
  void remove(const std::string& folder, const std::string& name) STOKER_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  // Names of temporary files by folder, as they were found.
  std::map<std::string, std::vector<std::string>> found_ STOKER_GUARDED_BY(mutex_);
};

// The same for temporary folders, with all in them. Never fails.
void remove_left_folders(const std::string& folder, const std::string& name);

}  // namespace stoker::store
