// A temporary file without a name.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace stoker::record {

// Gone with the process, however it ends. Threads: any number may read and write at once, at different
// places.
class NamelessFile {
 public:
  // In the folder, which is made where it is absent. Errors: io, out_of_resources; of every member.
  explicit NamelessFile(const std::string& folder);

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // All of `out`. Errors also: internal (less was written).
  void read_at(std::uint64_t offset, std::span<std::byte> out) const;
  // Makes what was written durable, as far as a file without a name can be.
  void sync();
  void clear();
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  Descriptor file_;
};

}  // namespace stoker::record
