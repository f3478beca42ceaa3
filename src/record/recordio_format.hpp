// The byte level of RecordIO: parts, their sequence, the magic inside data, the image header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "stoker/record.hpp"

namespace stoker::record {

// Source: docs/formats/recordio.md.
inline constexpr std::uint32_t kMagic = 0xced7230a;
inline constexpr std::size_t kPartHeader = 8;
inline constexpr std::uint32_t kLengthMask = (1u << 29) - 1;
inline constexpr std::uint64_t kRecordLimit = std::uint64_t{1} << 29;  // a record is smaller than this
inline constexpr std::size_t kImageHeader = 24;

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; }

// The place of a part in its record, as the three high bits say.
enum class PartKind : std::uint32_t { whole = 0, first = 1, middle = 2, last = 3 };

// Follows the parts of one record from header to header, and says what breaks the rules.
class PartSequence {
 public:
  // Takes the header at `offset`, of which `header` holds as many bytes as there are (8 unless the container
  // ends); `left` bytes lie from `offset` to the end of the container. What is wrong, or none.
  std::optional<std::string> add(std::span<const std::byte> header, std::uint64_t offset, std::uint64_t left);

  bool complete() const { return complete_; }
  bool started() const { return parts_ > 0; }
  std::uint64_t part_bytes() const { return part_bytes_; }  // data of the part added last
  std::uint64_t framed_bytes() const {
    return framed_bytes_;
  }  // headers, data and padding of all parts so far
  std::uint64_t data_bytes() const { return data_bytes_; }  // of the record so far, removed magics put back
  // Where the next record begins, if what add() complained of was that this one is unfinished.
  bool next_begins_here() const { return next_begins_here_; }

 private:
  std::uint64_t parts_ = 0;
  std::uint64_t part_bytes_ = 0;
  std::uint64_t framed_bytes_ = 0;
  std::uint64_t data_bytes_ = 0;
  bool complete_ = false;
  bool next_begins_here_ = false;
};

// A record taken out of its framing.
struct Unframed {
  std::span<std::byte> data;  // within the bytes given
  std::uint64_t framed = 0;   // how many of them the record took
  std::optional<std::string> damage;
};

// Takes the record at the beginning of `bytes`, which lie at `offset` of the container, out of its framing,
// in place.
Unframed unframe(std::span<std::byte> bytes, std::uint64_t offset);

// The first offset in `bytes`, a multiple of 4 and at least `from`, where the magic stands; bytes.size() if
// none.
std::size_t find_magic(std::span<const std::byte> bytes, std::size_t from = 0);

// Whether a record may begin here: the magic, then a word that says whole or first. At least 8 bytes.
bool begins_record(std::span<const std::byte> bytes);

// Fills key, labels and fields of `sample` with views of `data` (inside sample.buffer). A record whose header
// does not fit is raw: key = `ordinal`, no labels, field "data".
void describe_record(std::span<const std::byte> data, std::uint64_t ordinal, Sample& sample);

}  // namespace stoker::record
