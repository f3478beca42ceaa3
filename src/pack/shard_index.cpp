#include "pack/shard_index.hpp"

#include <filesystem>

#include "store/local_store.hpp"

namespace stoker::packing {

ShardIndex::ShardIndex(std::shared_ptr<Store> store, const std::string& shard, std::string path)
    : store_(std::move(store)),
      path_(std::move(path)),
      entries_(std::filesystem::path(store::local_path(shard)).parent_path().string()) {}

void ShardIndex::add(const record::SeekEntry& entry, std::span<const std::byte> packed) {
  entry_.clear();
  record::append_entry(sizes_.size(), entry, packed, entry_);
  entries_.append(entry_);
  sizes_.push_back(static_cast<std::uint32_t>(entry_.size()));
}

void ShardIndex::prepare(const SourceFingerprint& container) {
  file_ =
      std::make_unique<record::SeekIndexFile>(*store_, path_, record::SeekIndex::Header{.source = container});
  std::uint64_t at = 0;
  for (const std::uint32_t bytes : sizes_) {
    entry_.resize(bytes);
    entries_.read_at(at, entry_);
    file_->add(entry_);
    at += bytes;
  }
  bytes_ = file_->sync();
}

}  // namespace stoker::packing
