// One shard of an MDS set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "base/mutex.hpp"
#include "record/mds_index.hpp"
#include "record/unpacked_cache.hpp"

namespace stoker::record {

// Random access to the samples of a shard by its own table of offsets. Of a compressed shard all is unpacked
// for the first sample that is read of it, and kept in the cache; its offsets are those within the unpacked
// shard. The hashes that an MDS set may carry are not compared; sizes are. Threads: every const member from
// many at once. Cost: 4 bytes of memory a sample.
class MdsShard final : public RecordReader {
 public:
  // `folder`: of the set, with its slash. `first_ordinal`: how many samples the shards before hold. A shard
  // that lies there uncompressed is read so. Errors: not_found (neither file is there), corrupt_data (another
  // size than described, a wrong table), io.
  MdsShard(std::shared_ptr<Store> store, const std::string& folder, const MdsShardEntry& entry,
           std::uint64_t first_ordinal, std::shared_ptr<UnpackedCache> cache);

  RecordFormat format() const override { return RecordFormat::mds; }
  std::size_t size() const override { return samples_; }
  const std::vector<std::string>& classes() const override { return classes_; }
  RecordInfo info(std::size_t index) const override;
  void read(std::size_t index, Sample& sample) const override;
  std::string source_path() const override { return path_; }
  std::optional<SourceFingerprint> fingerprint() const override;

 private:
  using Table = std::vector<std::uint32_t>;  // where each sample begins, and where the last one ends

  Table read_table(const ReadableFile& shard) const;
  std::shared_ptr<const ReadableFile> shard() const;
  std::shared_ptr<const Table> table(const ReadableFile& shard) const STOKER_EXCLUDES(mutex_);
  void check(std::size_t index) const;
  [[noreturn]] void throw_damage(std::uint64_t offset, const std::string& reason) const;

  const std::shared_ptr<Store> store_;
  std::string path_;  // of the file that is read
  const std::size_t samples_;
  const std::uint64_t raw_bytes_;
  const Compression compression_;
  const std::uint64_t first_ordinal_;
  const std::shared_ptr<const MdsColumns> columns_;
  const std::shared_ptr<UnpackedCache> cache_;
  const std::vector<std::string> classes_;   // none: nothing tells
  std::shared_ptr<const ReadableFile> raw_;  // null: the shard is compressed
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Table> table_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace stoker::record
