// Small text files of the kernel: /proc, /sys, control groups.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/descriptor.hpp"

namespace stoker::watch {

// The text, or the errno that told why not.
using FileText = tl::expected<std::string, int>;

// At most `limit` bytes from the start of the file; `folder` is a descriptor, or AT_FDCWD.
FileText read_text(int folder, const std::string& path, std::size_t limit = 1U << 20U);
FileText read_text(const std::string& path, std::size_t limit = 1U << 20U);

// Where a link points; empty where it cannot be read. `folder` is a descriptor, or AT_FDCWD.
std::string read_link(int folder, const std::string& path);

// What an errno of such a file means: "needs root, or …", "this kernel has none".
std::string why_not(int error);

// How many descriptors may be kept open, so that a watcher of many threads leaves the program some.
class DescriptorBudget {
 public:
  // Half of what the process may open, at most 4096.
  DescriptorBudget();
  explicit DescriptorBudget(int limit) : limit_(limit) {}
  bool take();
  void give_back() { --taken_; }
  int taken() const { return taken_; }

 private:
  int limit_ = 0;
  int taken_ = 0;
};

// A file that is read often: its descriptor is kept while the budget lasts, else it is opened every time.
// What was opened stands for the process or thread it was opened for: a read after its end fails, whoever
// got its number.
class KeptFile {
 public:
  KeptFile(int folder, std::string path, DescriptorBudget& budget);
  ~KeptFile();
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&& other) noexcept;

  // The start of the file, in `memory`; or an errno.
  tl::expected<std::string_view, int> read(std::span<char> memory);

 private:
  int folder_;
  std::string path_;
  DescriptorBudget* budget_;
  Descriptor descriptor_;
  bool counted_ = false;
};

// The numbers that name entries of a folder such as /proc or /proc/PID/task, with the entries' inodes.
struct NumberedEntry {
  std::int64_t number = 0;
  std::uint64_t inode = 0;
};
std::vector<NumberedEntry> numbered_entries(int folder, const std::string& path);

}  // namespace stoker::watch
