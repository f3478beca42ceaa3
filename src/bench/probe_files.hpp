// The files that a probe reads, and reading them so that nobody's cache is the poorer for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace stoker::bench {

// The examples that exist, then files of the same ending beside them, and in their sister folders where the
// examples lie in several (a folder a class), in an order that no disk likes better than another (the same at
// each call). At most `most`; looks for them for `limit` at most.
std::vector<std::string> find_probe_files(const std::vector<std::string>& examples, std::size_t most,
                                          std::chrono::milliseconds limit);

// A regular file that is read from an offset on. What was read here and was not in the page cache before is
// dropped again at the end; what was there stays.
class ProbeFile {
 public:
  // Not is_open() where it cannot be opened or is no regular file.
  explicit ProbeFile(const std::string& path, std::uint64_t offset = 0);
  ~ProbeFile();
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;

  bool is_open() const { return static_cast<bool>(file_); }
  std::uint64_t size() const { return size_; }
  // Whether the page at the offset, whose neighbours mostly share its fate, was in the page cache as the file
  // was opened. Unknown: the file system does not tell.
  std::optional<bool> was_cached() const { return was_cached_; }
  // The next bytes; less than asked for at the end of the file; empty where reading failed.
  std::optional<std::size_t> read(std::span<std::byte> out);

 private:
  Descriptor file_;
  std::uint64_t size_ = 0, offset_, read_ = 0;
  std::optional<bool> was_cached_;
};

}  // namespace stoker::bench
