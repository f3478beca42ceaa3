// A store that keeps nothing: what writing costs can be seen in it, and nothing is left.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "record/nameless_file.hpp"

namespace stoker::packing {

// What was written so far. Units: bytes; seconds of this process.
struct ScratchCost {
  std::uint64_t appended = 0;
  std::uint64_t written = 0;               // of these: up to a limit
  double wall_s = 0, cpu_s = 0;            // of writing them
  double sync_wall_s = 0, sync_cpu_s = 0;  // of making them durable; 0 where too few were written to tell
};

// Bytes go through one file without a name, over and over from its beginning, so that they take little room;
// beyond 64 MiB they are only counted. Threads: one at a time.
class ScratchStore final : public Store {
 public:
  // `folder`: where that file lies; empty, or a folder that cannot be written in: all is only counted.
  explicit ScratchStore(const std::string& folder);

  // Makes durable what is not yet; of less than 1 MiB the cost would tell nothing.
  void sync();
  const ScratchCost& cost() const { return cost_; }

  std::unique_ptr<WritableFile> create(const std::string& path) override;
  void remove(const std::string&) override {}
  std::optional<ObjectInfo> info(const std::string&) override { return std::nullopt; }
  // Nothing is there. Errors: not_found.
  std::unique_ptr<ReadableFile> open_read(const std::string& path) override;
  std::vector<ObjectInfo> list(const std::string& folder) override;

 private:
  friend class ScratchFile;
  void append(std::span<const std::byte> bytes);

  std::unique_ptr<record::NamelessFile> file_;  // null: bytes are only counted
  std::uint64_t at_ = 0;                        // in the file
  ScratchCost cost_;
};

}  // namespace stoker::packing
