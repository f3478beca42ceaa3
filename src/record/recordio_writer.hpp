// Writes a RecordIO container with both its indexes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/record.hpp"

#include "record/record_index.hpp"

namespace stoker::record {

// Threads: one at a time. Cost: 1 MiB of memory, 8 bytes a record and its line of the text index.
class RecordIOWriter final : public RecordWriter {
 public:
  RecordIOWriter(std::shared_ptr<Store> store, std::string path);

  RecordInfo append(const std::string& key, std::span<const float> labels, const Field& main,
                    std::optional<std::uint64_t> id) override;
  std::uint64_t records() const override { return offsets_.size(); }
  std::uint64_t bytes() const override { return bytes_; }
  std::uint32_t crc32c() const override { return crc32c_; }
  std::uint64_t main_offset() const override { return main_offset_; }
  void prepare() override;
  SourceFingerprint fingerprint() const override;
  void finish() override;

 private:
  void put_part(std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> data);
  void put_escaped(std::span<const std::byte> data, std::size_t first_magic);
  void put(std::span<const std::byte> bytes);
  void write(std::span<const std::byte> bytes);
  void flush();

  std::shared_ptr<Store> store_;
  std::string path_;
  std::unique_ptr<WritableFile> file_;
  std::vector<std::byte> buffer_;     // appended and not written yet
  std::vector<std::byte> head_;       // image header and labels of the record in work
  std::vector<std::byte> whole_;      // header and data of a record in which the magic stands
  std::vector<std::byte> first_run_;  // for the fingerprint: the container's first bytes
  std::vector<std::byte> last_run_;   // and its last
  std::uint64_t bytes_ = 0;
  std::uint32_t crc32c_ = 0;
  std::uint64_t main_offset_ = 0;
  Fingerprint fingerprint_;  // from prepare() on
  std::vector<std::uint64_t> offsets_;
  std::string text_index_;
  std::unique_ptr<WritableFile> text_file_;  // both indexes: from prepare() on
  std::unique_ptr<WritableFile> index_file_;
  bool finished_ = false;
};

}  // namespace stoker::record
