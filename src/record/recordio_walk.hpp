// Where the records of a container begin and end, by their headers alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "record/window_reader.hpp"

namespace stoker::record {

// Bytes that should have been a record.
struct Damage {
  std::uint64_t offset = 0;  // where the record began, or should have
  std::string reason;
};

// What stands at an offset of a container.
struct Walked {
  std::uint64_t end = 0;  // behind the record, if undamaged
  std::optional<Damage> damage;
  std::uint64_t resume = 0;  // if damaged: where to look for the next record
};

// Follows the headers of the record at `offset`; `container_bytes` long is the container.
// Errors: io.
Walked walk_record(WindowReader& window, std::uint64_t offset, std::uint64_t container_bytes);

// The first offset in [from, limit), a multiple of 4, where a record may begin; none if there is none.
std::optional<std::uint64_t> find_record(WindowReader& window, std::uint64_t from, std::uint64_t limit);

// The offsets of all records of an undamaged container and, last, the container's end; or its first damage.
// Errors: io, out_of_resources.
struct RecordOffsets {
  std::vector<std::uint64_t> offsets;
  std::optional<Damage> damage;
};
RecordOffsets walk_container(const ReadableFile& file);

}  // namespace stoker::record
