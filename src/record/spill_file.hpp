// A temporary file without a name: written at its end, read anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/nameless_file.hpp"

namespace stoker::record {

// Gone with the process, however it ends. Threads: one at a time.
class SpillFile {
 public:
  // In the folder, which is made where it is absent. Errors: io, out_of_resources; of every member.
  explicit SpillFile(const std::string& folder) : file_(folder) {}

  // Returns where the bytes lie.
  std::uint64_t append(std::span<const std::byte> bytes);
  void read_at(std::uint64_t offset, std::span<std::byte> out);
  void clear();
  std::uint64_t bytes() const { return flushed_ + buffer_.size(); }

 private:
  void flush();

  NamelessFile file_;
  std::uint64_t flushed_ = 0;
  std::vector<std::byte> buffer_;  // behind what was flushed
};

}  // namespace stoker::record
