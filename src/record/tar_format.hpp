// The byte level of tar: header blocks, their numbers and checksums, and the members of an archive one by
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/window_reader.hpp"

namespace stoker::record {

// Source: docs/formats/tar.md.
inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::size_t kLongestTarName = 4096;     // as a path of Linux
inline constexpr std::size_t kLargestPax = 256u * 1024;  // records of one extended header

constexpr std::uint64_t tar_padded(std::uint64_t bytes) {
  return (bytes + kTarBlock - 1) & ~std::uint64_t{kTarBlock - 1};
}

// Where the fields of a header lie.
struct TarField {
  std::size_t begin, bytes;
};
inline constexpr TarField kTarName{0, 100}, kTarMode{100, 8}, kTarUser{108, 8}, kTarGroup{116, 8},
    kTarSize{124, 12}, kTarTime{136, 12}, kTarSum{148, 8}, kTarType{156, 1}, kTarMagic{257, 8},
    kTarDevice{329, 16}, kTarPrefix{345, 155};

// The number of a header's field: octal digits, or base 256 where its first bit is set. None: it is neither,
// negative, or more than 63 bits.
std::optional<std::uint64_t> tar_number(std::span<const std::byte> field);

// The sum of a block's bytes with blanks for its checksum.
std::uint64_t tar_sum(std::span<const std::byte, kTarBlock> block);

// Whether a block's checksum is right, bytes taken for unsigned or for signed.
bool is_tar_header(std::span<const std::byte, kTarBlock> block);

// Bytes of an archive by their offset in it: in memory, or through a window.
class TarBytes {
 public:
  // `bytes` lie at `offset` of the archive.
  TarBytes(std::span<const std::byte> bytes, std::uint64_t offset)
      : memory_(bytes), begin_(offset), end_(offset + bytes.size()) {}
  TarBytes(WindowReader& window, std::uint64_t archive_bytes) : window_(&window), end_(archive_bytes) {}

  std::uint64_t end() const { return end_; }
  // Bytes [offset, offset + bytes), fewer where they end; valid until the next call. At most
  // WindowReader::kLargestWindow. Errors: io.
  std::span<const std::byte> at(std::uint64_t offset, std::size_t bytes);

 private:
  WindowReader* window_ = nullptr;
  std::span<const std::byte> memory_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_;
};

struct TarMember {
  std::uint64_t begin = 0;  // of its first header, which may be one that extends it
  std::uint64_t data = 0;
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;  // behind its data and their padding
  bool is_file = false;
  std::string_view name;  // valid until the next step
};

// What keeps a member from being read.
struct TarFault {
  std::uint64_t begin = 0;   // of the member's first header
  std::uint64_t header = 0;  // of the header at fault
  std::string reason;
  std::string_view name;  // of the member, as far as it can be believed; empty: unknown
};

// The members of an archive from an offset on, with the headers that extend them (PAX x, GNU L and K)
// applied.
class TarMembers {
 public:
  enum class Step { member, fault, end };

  TarMembers(TarBytes bytes, std::uint64_t offset) : bytes_(bytes), at_(offset) {}

  // Nothing may be asked for behind a fault. Errors: io.
  Step next();
  const TarMember& member() const { return member_; }
  const TarFault& fault() const { return fault_; }
  // Whether an end of archive, two blocks of zeros, stood before what the last step found.
  bool behind_end_blocks() const { return zero_blocks_ >= 2; }

 private:
  Step fail(std::string reason, std::string_view name = {});
  Step fail_header(std::span<const std::byte, kTarBlock> header);
  Step take_member(std::span<const std::byte, kTarBlock> header, std::uint64_t bytes);
  std::optional<std::string> take_extension(char type, std::uint64_t bytes);
  std::optional<std::string> take_pax(std::string_view records, bool global);
  std::optional<std::string> take_pax_record(std::string_view key, std::string_view value, bool global);
  bool set_name(std::string_view name, std::string_view prefix = {});
  std::string_view name() const { return {name_.data(), name_bytes_}; }

  TarBytes bytes_;
  std::uint64_t at_;  // of the header in work
  TarMember member_;
  TarFault fault_;
  std::uint64_t zero_blocks_ = 0;
  // Of the headers that extend the member in work:
  bool extended_ = false;
  bool is_sparse_ = false;
  bool named_by_pax_ = false;
  std::optional<std::uint64_t> pax_bytes_;
  std::size_t name_bytes_ = 0;
  std::array<char, kLongestTarName> name_;  // no string: nothing is allocated for a member
};

}  // namespace stoker::record
