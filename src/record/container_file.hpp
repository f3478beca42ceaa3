// A container in the making: its bytes, where its records begin, and the indexes beside it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/record.hpp"

#include "record/record_index.hpp"

namespace stoker::record {

// What the writers of all container formats share. Nothing appears under the final names before finish().
// Threads: one at a time. Cost: 1 MiB of memory, 8 bytes a record and its line of the text index.
class ContainerFile {
 public:
  // `text_index`: the path of the index that the format's own tools read; empty: it has none.
  // Errors: io, out_of_resources; of every member.
  ContainerFile(std::shared_ptr<Store> store, std::string path, RecordFormat format, std::string text_index);

  // A record begins here.
  void begin_record();
  void put(std::span<const std::byte> bytes);
  void add_index_line(std::string_view line) { text_index_ += line; }

  const std::string& path() const { return path_; }
  std::uint64_t records() const { return offsets_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  std::uint32_t crc32c() const { return crc32c_; }
  bool is_prepared() const { return index_file_ != nullptr; }

  // As RecordWriter's.
  void prepare();
  SourceFingerprint fingerprint() const;
  void finish();

 private:
  void write(std::span<const std::byte> bytes);
  void flush();

  const std::shared_ptr<Store> store_;
  const std::string path_;
  const RecordFormat format_;
  const std::string text_index_path_;
  std::unique_ptr<WritableFile> file_;
  std::vector<std::byte> buffer_;     // appended and not written yet
  std::vector<std::byte> first_run_;  // for the fingerprint: the container's first bytes
  std::vector<std::byte> last_run_;   // and its last
  std::uint64_t bytes_ = 0;
  std::uint32_t crc32c_ = 0;
  Fingerprint fingerprint_;  // from prepare() on
  std::vector<std::uint64_t> offsets_;
  std::string text_index_;
  std::unique_ptr<WritableFile> text_file_;  // both indexes: from prepare() on
  std::unique_ptr<WritableFile> index_file_;
  bool finished_ = false;
};

}  // namespace stoker::record
