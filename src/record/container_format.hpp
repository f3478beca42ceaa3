// What reading needs to know of one container format: where its records begin and end, and what one holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

#include "record/window_reader.hpp"

namespace stoker::record {

// Bytes that should have been a record.
struct Damage {
  std::uint64_t offset = 0;  // where the record began, or should have
  std::string reason;
};

// What stands at an offset of a container.
struct Walked {
  std::uint64_t end = 0;  // behind the record and what belongs to none, if undamaged
  std::optional<Damage> damage;
  std::uint64_t resume = 0;  // if damaged: where to look for the next record
  bool is_record = true;     // false: only what belongs to no record stands up to `end` (folders in a tar)
};

// The rules of a container format. The extents of its records follow each other from the container's first
// byte to its last, so that offsets alone make an index. Stateless. Threads: from many at once.
class ContainerFormat {
 public:
  virtual ~ContainerFormat() = default;

  virtual RecordFormat format() const = 0;
  // Every record begins at a multiple of this, and takes at least so many bytes.
  virtual std::uint64_t alignment() const = 0;
  virtual std::uint64_t smallest_record() const = 0;

  // Follows the headers of the record at `offset` of a container of `container_bytes`. Errors (thrown): io.
  virtual Walked walk_record(WindowReader& window, std::uint64_t offset,
                             std::uint64_t container_bytes) const = 0;
  // The first offset in [from, limit) where a record may begin; none if there is none. Errors: io.
  virtual std::optional<std::uint64_t> find_record(WindowReader& window, std::uint64_t from,
                                                   std::uint64_t limit) const = 0;
  // What only a look beyond its headers tells against the record at [begin, end). Errors: io.
  virtual std::optional<Damage> distrust(WindowReader&, std::uint64_t /*begin*/, std::uint64_t /*end*/,
                                         std::uint64_t /*container_bytes*/) const {
    return std::nullopt;
  }
  // Where to look for a record behind one at [begin, end) that proved damaged.
  virtual std::uint64_t resume_behind(std::uint64_t /*begin*/, std::uint64_t end) const { return end; }

  // Fills key, labels, fields and main field of `sample` from `extent`, the bytes of record `ordinal` at
  // `offset` of the container, which lie in sample.buffer; the fields view them. What is damaged, or none.
  virtual std::optional<std::string> unpack(std::span<std::byte> extent, std::uint64_t offset,
                                            std::uint64_t ordinal, Sample& sample) const = 0;

  // The offsets of the records, and the container's end, by the text index that the format's own tools put
  // beside a container; none where there is none, or it does not fit. Errors: io.
  virtual std::optional<std::vector<std::uint64_t>> offsets_by_text_index(Store&, const ReadableFile&) const {
    return std::nullopt;
  }
};

// The rules of recordio, tar or tfrecord. Errors: internal (any other).
const ContainerFormat& container_format(RecordFormat format);

// The offsets of all records of an undamaged container and, last, the container's end; or its first damage.
// Errors: io, out_of_resources.
struct RecordOffsets {
  std::vector<std::uint64_t> offsets;
  std::optional<Damage> damage;
};
RecordOffsets walk_container(const ContainerFormat& format, const ReadableFile& file);

// Makes room for `bytes` in the sample's buffer, which only grows; seek points of the sample before are
// forgotten. Errors: out_of_resources.
std::span<std::byte> room_in(Sample& sample, std::uint64_t bytes);

}  // namespace stoker::record
