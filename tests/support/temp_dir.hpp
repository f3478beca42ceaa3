// A folder that lives as long as a test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stoker::test {

// Owns: the folder and all in it, removed on destruction.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(std::string_view relative = "") const;
  // Writes a file, making its parent folders; returns its path.
  std::string write(std::string_view relative, std::string_view text) const;

 private:
  std::filesystem::path root_;
};

// The whole file; fails the test if it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace stoker::test
