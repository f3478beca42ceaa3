// RecordIO as a container format.
#pragma once

#include "record/container_format.hpp"

namespace stoker::record {

// Source: docs/formats/recordio.md.
class RecordIOContainer final : public ContainerFormat {
 public:
  RecordFormat format() const override { return RecordFormat::recordio; }
  std::uint64_t alignment() const override { return 4; }
  std::uint64_t smallest_record() const override { return 8; }
  Walked walk_record(WindowReader& window, std::uint64_t offset,
                     std::uint64_t container_bytes) const override;
  std::optional<std::uint64_t> find_record(WindowReader& window, std::uint64_t from,
                                           std::uint64_t limit) const override;
  // A record whose end is no record's beginning, and inside which another begins, has a wrong length.
  std::optional<Damage> distrust(WindowReader& window, std::uint64_t begin, std::uint64_t end,
                                 std::uint64_t container_bytes) const override;
  std::uint64_t resume_behind(std::uint64_t begin, std::uint64_t) const override { return begin + 4; }
  std::optional<std::string> unpack(std::span<std::byte> extent, std::uint64_t offset, std::uint64_t ordinal,
                                    Sample& sample) const override;
  std::optional<std::vector<std::uint64_t>> offsets_by_text_index(
      Store& store, const ReadableFile& container) const override;
};

}  // namespace stoker::record
