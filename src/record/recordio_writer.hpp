// Writes a RecordIO container with both its indexes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "record/container_file.hpp"

namespace stoker::record {

// Threads: one at a time. Holds the main field and the labels of a sample. Cost: as ContainerFile.
class RecordIOWriter final : public RecordWriter {
 public:
  RecordIOWriter(std::shared_ptr<Store> store, const std::string& path);

  RecordInfo add(const NewSample& sample) override;
  std::uint64_t records() const override { return out_.records(); }
  std::uint64_t bytes() const override { return out_.bytes(); }
  std::uint32_t crc32c() const override { return out_.crc32c(); }
  std::uint64_t main_offset() const override { return main_offset_; }
  void prepare() override { out_.prepare(); }
  SourceFingerprint fingerprint() const override { return out_.fingerprint(); }
  void finish() override { out_.finish(); }

 private:
  void put_part(std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> data);
  void put_escaped(std::span<const std::byte> data, std::size_t first_magic);

  ContainerFile out_;
  std::vector<std::byte> head_;   // image header and labels of the record in work
  std::vector<std::byte> whole_;  // header and data of a record in which the magic stands
  std::uint64_t main_offset_ = 0;
};

}  // namespace stoker::record
