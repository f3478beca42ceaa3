// A tar of samples as a container format, by WebDataset's rules.
#pragma once

#include "record/container_format.hpp"

namespace stoker::record {

// A record is a run of members with one key. It begins at the first header of its first member (the
// container's first one at 0) and reaches to the first header of the next sample, so that folders, members of
// no sample and end blocks belong to the record before them. Source: docs/formats/tar.md.
class TarContainer final : public ContainerFormat {
 public:
  RecordFormat format() const override { return RecordFormat::tar; }
  std::uint64_t alignment() const override { return 512; }
  std::uint64_t smallest_record() const override { return 512; }
  Walked walk_record(WindowReader& window, std::uint64_t offset,
                     std::uint64_t container_bytes) const override;
  // A block with a right checksum.
  std::optional<std::uint64_t> find_record(WindowReader& window, std::uint64_t from,
                                           std::uint64_t limit) const override;
  std::optional<std::string> unpack(std::span<std::byte> extent, std::uint64_t offset, std::uint64_t ordinal,
                                    Sample& sample) const override;
};

}  // namespace stoker::record
