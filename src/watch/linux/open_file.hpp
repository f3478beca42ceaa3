// What lies behind another process's descriptors and addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stoker::watch {

// `kind` is a word of ThreadTally::target, empty where it is not known; the rest is for kind "file".
struct OpenFile {
  std::string_view kind;
  std::string path;
  std::uint64_t size_bytes = 0;  // 0: not known, or empty
};

// `process` is a descriptor of the folder /proc/PID. Never waits for a file system: what it has of a file at
// hand is taken.
OpenFile open_file(int process, std::int64_t descriptor);

// Another process's memory, read without stopping it. In a fixture tree, where no process stands behind a
// number, every read fails.
class ProcessMemory {
 public:
  ProcessMemory(std::int64_t pid, bool live) : pid_(live ? pid : 0) {}
  // False where any byte is missing.
  bool read(std::uint64_t address, void* memory, std::size_t size) const;
  template <class T>
  std::optional<T> read(std::uint64_t address) const {
    T value;
    if (address == 0 || !read(address, &value, sizeof value)) return std::nullopt;
    return value;
  }
  // A text that ends with a 0, cut to 512 bytes.
  std::optional<std::string> read_text(std::uint64_t address) const;

 private:
  std::int64_t pid_;
};

}  // namespace stoker::watch
