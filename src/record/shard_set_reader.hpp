// Many shards as one source.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

namespace stoker::record {

// The samples of its shards, one shard behind another. Side files lie by each shard, not by the set, so that
// it has no source_path(). Threads: every const member from many at once. Cost: 8 bytes of memory a shard
// besides the shards'.
class ShardSetReader final : public RecordReader {
 public:
  // `shards`: at least one, all of one format; `classes`: of the set, whatever the shards say.
  ShardSetReader(std::vector<std::shared_ptr<const RecordReader>> shards, std::vector<std::string> classes,
                 std::string index_dir);

  RecordFormat format() const override { return shards_.front()->format(); }
  std::size_t size() const override { return starts_.back(); }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;
  std::span<const std::shared_ptr<const RecordReader>> shards() const override { return shards_; }
  // Of all shards: their records and bytes added up, the CRCs over theirs in order.
  std::optional<SourceFingerprint> fingerprint() const override;
  // Numbers added up; state, path and reason of the first index that is used, else of the first that is not.
  SeekIndexInfo seek_index() const override;
  void renew_seek_index() const override;
  std::string index_dir() const override { return index_dir_; }

 private:
  struct Place {
    const RecordReader& shard;
    std::size_t index;  // within the shard
  };
  Place find(std::size_t index) const;

  const std::vector<std::shared_ptr<const RecordReader>> shards_;
  const std::vector<std::string> classes_;
  const std::string index_dir_;
  std::vector<std::size_t> starts_;  // of each shard, and the end of the last
};

}  // namespace stoker::record
