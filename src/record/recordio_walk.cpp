#include "record/recordio_walk.hpp"

#include <algorithm>

#include "record/recordio_format.hpp"

namespace stoker::record {

Walked walk_record(WindowReader& window, std::uint64_t offset, std::uint64_t container_bytes) {
  PartSequence parts;
  while (!parts.complete()) {
    const std::uint64_t at = offset + parts.framed_bytes();
    const std::uint64_t left = container_bytes - at;
    const auto header = window.at(at, std::min<std::uint64_t>(kPartHeader, left));
    if (auto reason = parts.add(header, at, left))
      return {.damage = Damage{offset, std::move(*reason)},
              .resume = parts.next_begins_here() ? at : offset + 4};
  }
  return {.end = offset + parts.framed_bytes()};
}

std::optional<std::uint64_t> find_record(WindowReader& window, std::uint64_t from, std::uint64_t limit) {
  std::uint64_t position = padded(from);
  while (position < limit && limit - position >= kPartHeader) {
    const auto bytes =
        window.at(position, std::min<std::uint64_t>(WindowReader::kLargestWindow, limit - position));
    if (bytes.size() < kPartHeader) return std::nullopt;
    std::size_t found = find_magic(bytes);
    while (found + kPartHeader <= bytes.size()) {
      if (begins_record(bytes.subspan(found))) return position + found;
      found = find_magic(bytes, found + 4);
    }
    // The last word may be a magic whose second word lies behind the window.
    position += (bytes.size() & ~std::size_t{3}) - 4;
  }
  return std::nullopt;
}

RecordOffsets walk_container(const ReadableFile& file) {
  WindowReader window(file);
  RecordOffsets walked;
  std::uint64_t offset = 0;
  while (offset < file.bytes()) {
    Walked record = walk_record(window, offset, file.bytes());
    if (record.damage) {
      walked.damage = std::move(record.damage);
      return walked;
    }
    walked.offsets.push_back(offset);
    offset = record.end;
  }
  walked.offsets.push_back(offset);
  return walked;
}

}  // namespace stoker::record
