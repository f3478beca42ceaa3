// The framing of TFRecord: a length and the data, each with a masked CRC-32C behind it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace stoker::record {

// Source: docs/formats/tfrecord.md.
inline constexpr std::size_t kTFRecordHead = 12;  // the length and its CRC
inline constexpr std::size_t kTFRecordTail = 4;   // the CRC of the data
inline constexpr std::uint64_t kTFRecordFraming = kTFRecordHead + kTFRecordTail;
// The data of a record that is written is smaller: protobuf reads no message of this size.
inline constexpr std::uint64_t kTFRecordLimit = std::uint64_t{1} << 31;

// A CRC as the format stores it: turned and moved, so that CRCs of data that holds CRCs stay useful.
constexpr std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

std::array<std::byte, kTFRecordHead> tfrecord_head(std::uint64_t length);
std::array<std::byte, kTFRecordTail> tfrecord_tail(std::uint32_t crc_of_data);

// The length that a record's head tells; none where its CRC does not fit, or `bytes` are fewer than a head.
std::optional<std::uint64_t> length_of_head(std::span<const std::byte> bytes);

// What is wrong with the head at `offset`, of which `head` holds as many bytes as there are; `left` bytes lie
// from `offset` to the end of the container.
std::optional<std::string> wrong_with_head(std::span<const std::byte> head, std::uint64_t offset,
                                           std::uint64_t left);

// The first place in `bytes` where a sound head stands whose record ends within `left` bytes of the first of
// them; bytes.size() if none. Cost: a look at every place, and a CRC of 8 bytes where the length could be.
std::size_t find_head(std::span<const std::byte> bytes, std::uint64_t left);

// The data of the record that `bytes` begin with, which lie at `offset` of the container; or what is wrong.
// Cost: one pass over the data for its CRC.
struct TFRecordData {
  std::span<std::byte> data;
  std::optional<std::string> damage;
};
TFRecordData data_of_record(std::span<std::byte> bytes, std::uint64_t offset);

}  // namespace stoker::record
