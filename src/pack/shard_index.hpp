// The seek index of a shard in the making.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "record/seek_index.hpp"
#include "record/spill_file.hpp"

namespace stoker::packing {

// Threads: one at a time. Cost: 4 bytes of memory a record; the entries wait in a nameless file beside the
// shard, since the header before them names the whole container.
class ShardIndex {
 public:
  // Of the shard that will stand at `shard`; `path` is the index's own name.
  // Errors: io, out_of_resources; of every member.
  ShardIndex(std::shared_ptr<Store> store, const std::string& shard, std::string path);

  // The entry of the next record.
  void add(const record::SeekEntry& entry, std::span<const std::byte> packed);
  // Makes the index durable under a temporary name.
  void prepare(const SourceFingerprint& container);
  void commit() { file_->commit(); }
  std::uint64_t bytes() const { return bytes_; }  // behind prepare()

 private:
  const std::shared_ptr<Store> store_;
  const std::string path_;
  record::SpillFile entries_;
  std::vector<std::uint32_t> sizes_;
  std::vector<std::byte> entry_;
  std::unique_ptr<record::SeekIndexFile> file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace stoker::packing
