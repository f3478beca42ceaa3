#include "record/shard_set_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "record/in_parallel.hpp"

namespace stoker::record {

ShardSetReader::ShardSetReader(std::vector<std::shared_ptr<const RecordReader>> shards,
                               std::vector<std::string> classes, std::string index_dir)
    : shards_(std::move(shards)), classes_(std::move(classes)), index_dir_(std::move(index_dir)) {
  if (shards_.empty())
    throw Error(ErrorCode::invalid_argument, {.operation = "open records", .found = "a set without shards"});
  starts_.reserve(shards_.size() + 1);
  starts_.push_back(0);
  for (const auto& shard : shards_) starts_.push_back(starts_.back() + shard->size());
}

ShardSetReader::Place ShardSetReader::find(std::size_t index) const {
  if (index >= size())
    throw Error(ErrorCode::invalid_argument, {.operation = "read record",
                                              .object = fmt::format("a set of {} shards", shards_.size()),
                                              .found = fmt::format("record {}", index),
                                              .allowed = fmt::format("less than {}", size())});
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), index);
  const auto shard = static_cast<std::size_t>(behind - starts_.begin()) - 1;
  return {*shards_[shard], index - starts_[shard]};
}

RecordInfo ShardSetReader::info(std::size_t index) const {
  const Place place = find(index);
  return place.shard.info(place.index);
}

void ShardSetReader::read(std::size_t index, Sample& sample) const {
  const Place place = find(index);
  place.shard.read(place.index, sample);
}

std::optional<SourceFingerprint> ShardSetReader::fingerprint() const {
  std::vector<std::optional<SourceFingerprint>> of_shards(shards_.size());
  for_each_in_parallel(shards_.size(), [&](std::size_t i) { of_shards[i] = shards_[i]->fingerprint(); });
  SourceFingerprint all;
  for (const auto& shard : of_shards) {
    if (!shard) return std::nullopt;
    all.records += shard->records;
    all.bytes += shard->bytes;
    std::array<std::byte, 24> numbers;
    store_le(numbers.data(), shard->records);
    store_le(numbers.data() + 8, shard->bytes);
    store_le(numbers.data() + 16, shard->head_crc32c);
    store_le(numbers.data() + 20, shard->tail_crc32c);
    all.head_crc32c = crc32c(std::span(numbers).first(20), all.head_crc32c);
    all.tail_crc32c = crc32c(std::span(numbers).last(4), all.tail_crc32c);
  }
  return all;
}

SeekIndexInfo ShardSetReader::seek_index() const {
  SeekIndexInfo all;
  for (const auto& shard : shards_) {
    SeekIndexInfo info = shard->seek_index();
    all.indexed += info.indexed;
    all.not_indexable += info.not_indexable;
    all.dropped_damaged += info.dropped_damaged;
    all.dropped_stale += info.dropped_stale;
    all.dropped_changed += info.dropped_changed;
    const bool tells_more = all.state == SeekIndexState::none ||
                            (info.state == SeekIndexState::used && all.state != SeekIndexState::used);
    if (!tells_more) continue;
    all.state = info.state;
    all.path = std::move(info.path);
    all.reason = std::move(info.reason);
  }
  return all;
}

void ShardSetReader::renew_seek_index() const {
  for_each_in_parallel(shards_.size(), [&](std::size_t i) { shards_[i]->renew_seek_index(); });
}

}  // namespace stoker::record
