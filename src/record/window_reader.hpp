// Looks at small pieces of a large object in rising order, with few reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "stoker/store.hpp"

namespace stoker::record {

// Reads ahead as much as pays: pieces that follow each other closely are read 1 MiB at a time; pieces with
// much between them, one page. Threads: one at a time.
class WindowReader {
 public:
  explicit WindowReader(const ReadableFile& file);

  // Bytes [offset, offset + bytes) of the object, fewer where it ends; valid until the next call. At most
  // kLargestWindow.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t bytes);

  static constexpr std::size_t kLargestWindow = std::size_t{1} << 20;

 private:
  static constexpr std::size_t kSmallestWindow = 4096;

  const ReadableFile& file_;
  std::unique_ptr<std::byte[]> window_;
  std::uint64_t begin_ = 0;
  std::size_t filled_ = 0;
  std::size_t window_bytes_ = kSmallestWindow;
};

}  // namespace stoker::record
