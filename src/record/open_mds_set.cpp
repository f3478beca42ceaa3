// MDS sets: every shard its own reader.
#include <algorithm>

#include "record/classes.hpp"
#include "record/in_parallel.hpp"
#include "record/indexed_reader.hpp"
#include "record/mds_shard.hpp"
#include "record/open_container.hpp"
#include "record/reader_scanner.hpp"
#include "record/shard_name.hpp"
#include "record/shard_set_reader.hpp"
#include "record/shard_set_scanner.hpp"
#include "store/pooled_store.hpp"

namespace stoker::record {

namespace {

// A few shards of the size that MDSWriter makes by default, 64 MiB. Source: docs/formats/mds.md.
constexpr std::uint64_t kUnpackedBytes = std::uint64_t{512} << 20;

// Opens the shards of a set.
class MdsSet {
 public:
  MdsSet(const std::shared_ptr<Store>& store, const std::string& index)
      : store_(std::make_shared<store::PooledStore>(store)),
        folder_(folder_of(index)),
        index_(read_mds_index(*store, index)),
        cache_(std::make_shared<UnpackedCache>(store_, kUnpackedBytes)) {
    first_ordinals_.push_back(0);
    for (const MdsShardEntry& shard : index_.shards)
      first_ordinals_.push_back(first_ordinals_.back() + shard.samples);
  }

  const std::shared_ptr<Store>& store() const { return store_; }
  std::size_t shards() const { return index_.shards.size(); }
  std::string path(std::size_t shard) const {
    const MdsShardEntry& entry = index_.shards[shard];
    return folder_ + (entry.packed.empty() ? entry.raw : entry.packed);
  }
  std::unique_ptr<MdsShard> open(std::size_t shard) const {
    return std::make_unique<MdsShard>(store_, folder_, index_.shards[shard], first_ordinals_[shard], cache_);
  }

 private:
  const std::shared_ptr<Store> store_;
  const std::string folder_;
  const MdsIndex index_;
  const std::shared_ptr<UnpackedCache> cache_;
  std::vector<std::uint64_t> first_ordinals_;
};

}  // namespace

std::unique_ptr<RecordReader> open_mds_set(const std::shared_ptr<Store>& store, const std::string& index,
                                           const OpenOptions& options) {
  const MdsSet set(store, index);
  const std::shared_ptr<Store> cache_store = std::make_shared<store::PooledStore>(open_store("."));
  std::vector<std::shared_ptr<const RecordReader>> shards(set.shards());
  for_each_in_parallel(shards.size(), [&](std::size_t i) {
    std::unique_ptr<RecordReader> shard = set.open(i);
    if (options.seek_index == SeekIndexUse::off)
      shards[i] = std::move(shard);
    else
      shards[i] = std::make_shared<IndexedReader>(std::move(shard), set.store(), options.index_dir,
                                                  options.check_bytes, cache_store);
  });
  std::vector<std::string> classes;
  if (!options.classes_file.empty()) classes = read_classes_file(options.classes_file);
  return std::make_unique<ShardSetReader>(std::move(shards), std::move(classes), options.index_dir);
}

std::unique_ptr<RecordScanner> scan_mds_set(const std::shared_ptr<Store>& store, const std::string& index) {
  const auto set = std::make_shared<const MdsSet>(store, index);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < set->shards(); ++i) paths.push_back(set->path(i));
  return std::make_unique<ShardSetScanner>(std::move(paths), [set](std::size_t shard, std::uint64_t) {
    std::unique_ptr<MdsShard> reader = set->open(shard);
    if (reader->size() > 0) reader->info(0);  // what is wrong with all of a compressed shard is told once
    return std::make_unique<ReaderScanner>(std::move(reader));
  });
}

}  // namespace stoker::record
