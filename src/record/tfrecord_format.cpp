#include "record/tfrecord_format.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/crc.hpp"
#include "base/endian.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kLength = sizeof(std::uint64_t);

bool has_its_crc(const std::byte* head) {
  return masked(crc32c(std::span(head, kLength))) == load_le<std::uint32_t>(head + kLength);
}

}  // namespace

std::array<std::byte, kTFRecordHead> tfrecord_head(std::uint64_t length) {
  std::array<std::byte, kTFRecordHead> head;
  store_le(head.data(), length);
  store_le(head.data() + kLength, masked(crc32c(std::span(head).first<kLength>())));
  return head;
}

std::array<std::byte, kTFRecordTail> tfrecord_tail(std::uint32_t crc_of_data) {
  std::array<std::byte, kTFRecordTail> tail;
  store_le(tail.data(), masked(crc_of_data));
  return tail;
}

std::optional<std::uint64_t> length_of_head(std::span<const std::byte> bytes) {
  if (bytes.size() < kTFRecordHead || !has_its_crc(bytes.data())) return std::nullopt;
  return load_le<std::uint64_t>(bytes.data());
}

std::optional<std::string> wrong_with_head(std::span<const std::byte> head, std::uint64_t offset,
                                           std::uint64_t left) {
  if (head.size() < kTFRecordHead || left < kTFRecordHead) {
    const std::uint64_t there = std::min<std::uint64_t>(left, head.size());
    return fmt::format("the container ends at offset {}, {} bytes into a record's head of {}", offset + there,
                       there, kTFRecordHead);
  }
  const auto length = load_le<std::uint64_t>(head.data());
  const std::uint32_t crc = masked(crc32c(head.first(kLength)));
  const auto stored = load_le<std::uint32_t>(head.data() + kLength);
  if (crc != stored)
    return fmt::format("the length {} has the masked CRC-32C {:#010x}, not {:#010x} as stored at offset {}",
                       length, crc, stored, offset + kLength);
  const std::uint64_t room = left - std::min(left, kTFRecordFraming);
  if (length > room || left < kTFRecordFraming)
    return fmt::format("a record of {} bytes at offset {}, where {} bytes of data could follow", length,
                       offset, room);
  return std::nullopt;
}

std::size_t find_head(std::span<const std::byte> bytes, std::uint64_t left) {
  for (std::size_t at = 0; at + kTFRecordHead <= bytes.size() && left - at >= kTFRecordFraming; ++at) {
    // In most data the upper bytes of a length are no zeros: few places get as far as a CRC.
    if (load_le<std::uint64_t>(bytes.data() + at) > left - at - kTFRecordFraming) continue;
    if (has_its_crc(bytes.data() + at)) return at;
  }
  return bytes.size();
}

TFRecordData data_of_record(std::span<std::byte> bytes, std::uint64_t offset) {
  if (auto damage = wrong_with_head(bytes.first(std::min(bytes.size(), kTFRecordHead)), offset, bytes.size()))
    return {.data = {}, .damage = std::move(damage)};
  const auto data = bytes.subspan(kTFRecordHead, load_le<std::uint64_t>(bytes.data()));
  const std::uint32_t crc = masked(crc32c(data));
  const auto stored = load_le<std::uint32_t>(data.data() + data.size());
  if (crc != stored)
    return {.data = {},
            .damage = fmt::format(
                "its {} bytes of data have the masked CRC-32C {:#010x}, not {:#010x} as stored at offset {}",
                data.size(), crc, stored, offset + kTFRecordHead + data.size())};
  return {.data = data, .damage = std::nullopt};
}

}  // namespace stoker::record
