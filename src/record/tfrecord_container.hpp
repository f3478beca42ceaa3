// TFRecord, with or without tf.train.Example inside, as a container format.
#pragma once

#include "record/container_format.hpp"
#include "record/tfrecord_format.hpp"

namespace stoker::record {

// A walk checks the CRCs of the lengths, unpack() that of the data. Source: docs/formats/tfrecord.md.
class TFRecordContainer final : public ContainerFormat {
 public:
  RecordFormat format() const override { return RecordFormat::tfrecord; }
  std::uint64_t alignment() const override { return 1; }
  std::uint64_t smallest_record() const override { return kTFRecordFraming; }
  Walked walk_record(WindowReader& window, std::uint64_t offset,
                     std::uint64_t container_bytes) const override;
  // Cost: one look at every byte; searches that follow each other never look at the same ones.
  std::optional<std::uint64_t> find_record(WindowReader& window, std::uint64_t from,
                                           std::uint64_t limit) const override;
  // Cost: one CRC of the data, and a look at every feature.
  std::optional<std::string> unpack(std::span<std::byte> extent, std::uint64_t offset, std::uint64_t ordinal,
                                    Sample& sample) const override;
  std::optional<std::vector<std::uint64_t>> offsets_by_text_index(
      Store& store, const ReadableFile& container) const override;
};

}  // namespace stoker::record
