// The seek index file: where a decoder may enter each image of a source, as opaque bytes a record.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stoker/record.hpp"
#include "stoker/store.hpp"

#include "base/result.hpp"

namespace stoker::record {

// What the index holds of one record beside the packed points. Source: docs/formats/seek-index.md.
struct SeekEntry {
  std::uint64_t offset = 0;  // of the image's first byte in its container; 0 in a file of its own
  std::uint32_t bytes = 0;   // of the image
  std::uint32_t crc32c = 0;  // of the image
  std::uint32_t points = 0;  // how many are packed; of two entries for one image more is better
  std::uint8_t reason = 0;   // why there are none; the decoder's number for it
};

// Whether two entries are of the same bytes in the same place.
bool is_same_image(const SeekEntry& a, const SeekEntry& b);

// Where the first byte of the image in a sample that `reader` just read lies in its container. Of a record
// that RecordIO had to cut into parts the image goes on behind the next part's header.
std::uint64_t image_offset(const RecordReader& reader, std::size_t record, const Sample& sample);

// Offset, size and CRC-32C of the image in a sample that `reader` just read; no points yet.
// Errors: invalid_argument (an image of 4 GiB or more).
SeekEntry describe_image(const RecordReader& reader, std::size_t record, const Sample& sample);

// Appends an entry as it stands in the file. `packed` is empty where entry.points is 0.
void append_entry(std::uint64_t record, const SeekEntry& entry, std::span<const std::byte> packed,
                  std::vector<std::byte>& out);

// What an entry takes in an index, its place in the directory included; and what an index takes besides.
inline constexpr std::uint64_t seek_entry_bytes(std::uint64_t packed_bytes) { return 36 + packed_bytes; }
inline constexpr std::uint64_t kSeekFrameBytes = 80;

struct ParsedEntry {
  SeekEntry entry;
  std::span<const std::byte> packed;  // within the bytes given
};

// Checks the bytes of one entry against their checksum and each other; the failure is what is wrong.
tl::expected<ParsedEntry, std::string> parse_entry(std::uint64_t record, std::span<const std::byte> bytes);

// An open index. Threads: every const member from many at once. Cost: 8 bytes of memory a record; an entry is
// one ranged read.
class SeekIndex {
 public:
  struct Header {
    SourceFingerprint source;
    std::optional<std::int64_t> modified_ns;  // of the container; in caches only
  };

  // Reads header and directory; entries are checked when they are read.
  // Errors: corrupt_data, unsupported (a later version); throws io.
  static Result<SeekIndex> open(std::unique_ptr<ReadableFile> file);

  const Header& header() const { return header_; }
  const std::string& path() const { return file_->path(); }
  std::uint64_t bytes() const { return file_->bytes(); }
  std::size_t records() const { return offsets_.size() - 1; }
  bool has_entry(std::size_t record) const { return entry_bytes(record) > 0; }
  bool has_points(std::size_t record) const;
  std::uint64_t entry_bytes(std::size_t record) const { return offsets_[record + 1] - offsets_[record]; }

  // Reads an entry into `memory`, which the result views; at most `most_bytes` of packed points.
  // Errors (as text): no entry, a broken one; throws io.
  tl::expected<ParsedEntry, std::string> read(std::size_t record, std::uint64_t most_bytes,
                                              std::vector<std::byte>& memory) const;

 private:
  SeekIndex(std::unique_ptr<ReadableFile> file, Header header, std::vector<std::uint64_t> offsets)
      : file_(std::move(file)), header_(header), offsets_(std::move(offsets)) {}

  std::unique_ptr<ReadableFile> file_;
  Header header_;
  std::vector<std::uint64_t> offsets_;  // of each entry, and of the end of the last
};

// Writes an index from its first record to its last, whole or not at all. Threads: one at a time.
class SeekIndexFile {
 public:
  // Errors: io, out_of_resources; of every member.
  SeekIndexFile(Store& store, const std::string& path, const SeekIndex::Header& header);

  // The entry of the next record in order, as append_entry() made it; empty: there is none.
  void add(std::span<const std::byte> entry);
  // After as many add() as the header names records: all is durable, and commit() only renames. Returns the
  // file's size.
  std::uint64_t sync();
  // Likewise, and shows it.
  std::uint64_t commit();

 private:
  void flush();
  void end();

  std::unique_ptr<WritableFile> file_;
  std::uint64_t records_;
  std::uint32_t header_crc_ = 0;
  std::uint64_t written_ = 0;
  bool ended_ = false;  // the directory is written
  std::vector<std::uint64_t> offsets_;
  std::vector<std::byte> buffer_;
};

// Packed points of one image are no larger than this, nor than the image.
inline constexpr std::uint64_t kMostPackedBytes = std::uint64_t{1} << 26;

}  // namespace stoker::record
