// Walks the shards of a set, one behind another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// A shard that does not open is one damage, and the next shard follows. Threads: one at a time.
class ShardSetScanner final : public RecordScanner {
 public:
  // Opens shard `shard`, before which `ordinal` records lie.
  using Open = std::function<std::unique_ptr<RecordScanner>(std::size_t shard, std::uint64_t ordinal)>;

  // `paths`: of the shards.
  ShardSetScanner(std::vector<std::string> paths, Open open)
      : paths_(std::move(paths)), open_(std::move(open)) {}
  Step next(Sample& sample, RecordInfo& info, BadRecord& bad) override;

 private:
  const std::vector<std::string> paths_;
  const Open open_;
  std::size_t next_shard_ = 0;
  std::uint64_t ordinal_ = 0;
  std::unique_ptr<RecordScanner> shard_;  // null: the next one is to be opened
};

}  // namespace stoker::record
