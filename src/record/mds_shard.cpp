#include "record/mds_shard.hpp"

#include <array>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/endian.hpp"
#include "record/container_format.hpp"
#include "record/mds_sample.hpp"
#include "record/record_index.hpp"

namespace stoker::record {

namespace {
constexpr std::uint64_t kOffsetBytes = sizeof(std::uint32_t);
// zstd puts at most a block of 128 KiB into 4 bytes, gzip less; more is a wrong description.
constexpr std::uint64_t kLargestRatio = 1 << 16;
}  // namespace

MdsShard::MdsShard(std::shared_ptr<Store> store, const std::string& folder, const MdsShardEntry& entry,
                   std::uint64_t first_ordinal, std::shared_ptr<UnpackedCache> cache)
    : store_(std::move(store)),
      path_(folder + entry.raw),
      samples_(entry.samples),
      raw_bytes_(entry.raw_bytes),
      compression_(entry.compression),
      first_ordinal_(first_ordinal),
      columns_(entry.columns),
      cache_(std::move(cache)) {
  std::optional<std::uint64_t> described = raw_bytes_;
  const bool is_packed = !entry.packed.empty() && !store_->info(path_);
  if (is_packed) {
    path_ = folder + entry.packed;
    described = entry.packed_bytes;
  }
  std::unique_ptr<ReadableFile> file = store_->open_read(path_);
  if (described && file->bytes() != *described)
    throw Error(ErrorCode::corrupt_data, {.operation = "open MDS shard",
                                          .object = path_,
                                          .found = fmt::format("{} bytes", file->bytes()),
                                          .allowed = fmt::format("the {} of {}", *described, kMdsIndexName),
                                          .next_step = "copy or fetch the shard again"});
  if (is_packed) {
    if (raw_bytes_ / kLargestRatio > file->bytes())
      throw_damage(0, fmt::format("{} bytes that are to unpack to {}", file->bytes(), raw_bytes_));
    return;
  }
  table_ = std::make_shared<Table>(read_table(*file));
  raw_ = std::move(file);
}

// The count and the table are held against the size that the shard really has before room is made for them.
MdsShard::Table MdsShard::read_table(const ReadableFile& shard) const {
  std::array<std::byte, kOffsetBytes> number;
  if (shard.read_at(0, number) < number.size())
    throw_damage(0, fmt::format("a shard of {} bytes, too few for its count", shard.bytes()));
  const auto count = load_le<std::uint32_t>(number.data());
  if (count != samples_)
    throw_damage(0, fmt::format("{} samples, and {} in {}", count, samples_, kMdsIndexName));
  if (shard.bytes() / kOffsetBytes < std::uint64_t{count} + 2)
    throw_damage(0, fmt::format("{} samples in a shard of {} bytes", count, shard.bytes()));
  Table table(std::size_t{count} + 1);
  const auto bytes = std::as_writable_bytes(std::span(table));
  if (shard.read_at(kOffsetBytes, bytes) < bytes.size()) throw_damage(kOffsetBytes, "it ends early");
  if (table.front() < kOffsetBytes + bytes.size())
    throw_damage(kOffsetBytes, fmt::format("the first sample at {}, inside of the table", table.front()));
  for (std::size_t i = 1; i < table.size(); ++i)
    if (table[i] < table[i - 1])
      throw_damage(kOffsetBytes * (i + 1),
                   fmt::format("offsets that fall, from {} to {}", table[i - 1], table[i]));
  if (table.back() != shard.bytes())
    throw_damage(bytes.size(),
                 fmt::format("samples that end at {} in a shard of {} bytes", table.back(), shard.bytes()));
  return table;
}

std::shared_ptr<const ReadableFile> MdsShard::shard() const {
  return raw_ ? raw_ : cache_->get({path_, compression_, raw_bytes_});
}

std::shared_ptr<const MdsShard::Table> MdsShard::table(const ReadableFile& shard) const {
  {
    const MutexLock lock(mutex_);
    if (table_) return table_;
  }
  auto read = std::make_shared<const Table>(read_table(shard));
  const MutexLock lock(mutex_);
  if (!table_) table_ = std::move(read);
  return table_;
}

void MdsShard::check(std::size_t index) const {
  if (index < size()) return;
  throw Error(ErrorCode::invalid_argument, {.operation = "read sample",
                                            .object = path_,
                                            .found = fmt::format("sample {}", index),
                                            .allowed = fmt::format("less than {}", size())});
}

void MdsShard::throw_damage(std::uint64_t offset, const std::string& reason) const {
  throw Error(ErrorCode::corrupt_data, {.operation = "read MDS shard",
                                        .object = fmt::format("{} at offset {}", path_, offset),
                                        .found = reason});
}

RecordInfo MdsShard::info(std::size_t index) const {
  check(index);
  const auto table = this->table(*shard());
  return {path_, (*table)[index], (*table)[index + 1] - (*table)[index]};
}

void MdsShard::read(std::size_t index, Sample& sample) const {
  check(index);
  const std::shared_ptr<const ReadableFile> shard = this->shard();
  const auto table = this->table(*shard);
  const std::uint64_t offset = (*table)[index], bytes = (*table)[index + 1] - offset;
  const std::span<std::byte> room = room_in(sample, bytes + mds_room(*columns_));
  if (shard->read_at(offset, room.first(bytes)) < bytes) throw_damage(offset, "it ends early");
  if (const auto damage = unpack_mds_sample(*columns_, room, bytes, first_ordinal_ + index, sample))
    throw_damage(offset, *damage);
}

// Of the file as it lies there.
std::optional<SourceFingerprint> MdsShard::fingerprint() const {
  const Fingerprint file = fingerprint_of(raw_ ? *raw_ : *store_->open_read(path_));
  return SourceFingerprint{.records = size(),
                           .bytes = file.container_bytes,
                           .head_crc32c = file.head_crc32c,
                           .tail_crc32c = file.tail_crc32c};
}

}  // namespace stoker::record
