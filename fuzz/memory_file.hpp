// A file in memory that may be cut behind its reader's back.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "stoker/store.hpp"

namespace stoker::fuzz {

class MemoryFile final : public ReadableFile {
 public:
  explicit MemoryFile(std::span<const std::byte> held) : held_(held), bytes_(held.size()) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= bytes_) return 0;
    const std::size_t count = std::min<std::size_t>(out.size(), bytes_ - offset);
    std::memcpy(out.data(), held_.data() + offset, count);
    return count;
  }
  std::uint64_t bytes() const override { return held_.size(); }
  const std::string& path() const override { return path_; }
  // What is read from now on ends there; bytes() does not know.
  void cut(std::size_t bytes) { bytes_ = std::min(bytes, held_.size()); }

 private:
  const std::string path_ = "index";
  const std::span<const std::byte> held_;
  std::size_t bytes_;
};

}  // namespace stoker::fuzz
