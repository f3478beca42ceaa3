#include "record/container_reader.hpp"

#include <fmt/format.h>

#include "stoker/error.hpp"

#include "record/record_index.hpp"

namespace stoker::record {

namespace {

// Up to here what an index says of a record's size is taken at its word; larger ones are first asked for
// their own headers, so that a wrong index cannot make a reader allocate a container's worth of memory.
constexpr std::uint64_t kTrustedBytes = 4u << 20;

}  // namespace

ContainerReader::ContainerReader(const ContainerFormat& format, std::unique_ptr<ReadableFile> file,
                                 std::vector<std::uint64_t> offsets, std::vector<std::string> classes)
    : format_(format), file_(std::move(file)), offsets_(std::move(offsets)), classes_(std::move(classes)) {}

void ContainerReader::check(std::size_t index) const {
  if (index < size()) return;
  throw Error(ErrorCode::invalid_argument, {.operation = "read record",
                                            .object = file_->path(),
                                            .found = fmt::format("record {}", index),
                                            .allowed = fmt::format("less than {}", size())});
}

RecordInfo ContainerReader::info(std::size_t index) const {
  check(index);
  return {file_->path(), offsets_[index], offsets_[index + 1] - offsets_[index]};
}

void ContainerReader::throw_damage(std::size_t index, const std::string& reason) const {
  throw Error(ErrorCode::corrupt_data,
              {.operation = "read record",
               .object = fmt::format("{} at offset {} (record {})", file_->path(), offsets_[index], index),
               .found = reason});
}

std::uint64_t ContainerReader::bytes_to_read(std::size_t index) const {
  const std::uint64_t offset = offsets_[index];
  const std::uint64_t extent = offsets_[index + 1] - offset;
  if (extent <= kTrustedBytes) return extent;
  WindowReader window(*file_);
  const Walked walked = format_.walk_record(window, offset, file_->bytes());
  if (walked.damage) throw_damage(index, walked.damage->reason);
  return walked.end - offset;
}

void ContainerReader::read(std::size_t index, Sample& sample) const {
  check(index);
  const std::span<std::byte> room = room_in(sample, bytes_to_read(index));
  const std::size_t got = file_->read_at(offsets_[index], room);
  if (const auto damage = format_.unpack(room.first(got), offsets_[index], first_ordinal_ + index, sample))
    throw_damage(index, *damage);
}

std::optional<SourceFingerprint> ContainerReader::fingerprint() const {
  const Fingerprint container = fingerprint_of(*file_);
  return SourceFingerprint{.records = size(),
                           .bytes = container.container_bytes,
                           .head_crc32c = container.head_crc32c,
                           .tail_crc32c = container.tail_crc32c};
}

}  // namespace stoker::record
