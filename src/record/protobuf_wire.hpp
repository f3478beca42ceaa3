// The wire format of protobuf messages, as far as tf.train.Example needs it. Nothing here allocates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/endian.hpp"

namespace stoker::record {

// Source: protobuf's "Encoding".
enum class Wire : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
inline constexpr std::size_t kLongestVarint = 10;
inline constexpr std::uint64_t kLongestField = 0x7fffffff;

constexpr std::size_t varint_bytes(std::uint64_t value) {
  std::size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

// Returns how many bytes were stored, at most kLongestVarint.
inline std::size_t store_varint(std::byte* to, std::uint64_t value) {
  std::size_t bytes = 0;
  for (; value >= 0x80; value >>= 7) to[bytes++] = static_cast<std::byte>(value | 0x80);
  to[bytes++] = static_cast<std::byte>(value);
  return bytes;
}

// Takes a varint off the front of `bytes`; none if it is cut or longer than any number needs.
inline std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  const std::size_t most = std::min(bytes.size(), kLongestVarint);
  for (std::size_t i = 0; i < most; ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i]);
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes = bytes.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// One field of a message.
struct WireField {
  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t value = 0;           // of a varint
  std::span<const std::byte> bytes;  // of the others
};

// The fields of one message, one after another.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> message) : left_(message) {}

  // False at the end, and where the bytes break the rules: then broken().
  bool next(WireField& field) {
    if (left_.empty()) return false;
    const auto tag = take_varint(left_);
    if (!tag || *tag > 0xffffffff || *tag >> 3 == 0) return stop();
    field.number = static_cast<std::uint32_t>(*tag >> 3);
    field.wire = static_cast<Wire>(*tag & 7);
    switch (field.wire) {
      case Wire::varint: {
        const auto value = take_varint(left_);
        if (!value) return stop();
        field.value = *value;
        return true;
      }
      case Wire::fixed64:
        return take(8, field);
      case Wire::fixed32:
        return take(4, field);
      case Wire::bytes: {
        const auto length = take_varint(left_);
        return length && *length <= kLongestField ? take(*length, field) : stop();
      }
    }
    return stop();  // groups, and what is none
  }

  bool broken() const { return broken_; }

 private:
  bool take(std::uint64_t bytes, WireField& field) {
    if (bytes > left_.size()) return stop();
    field.bytes = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return true;
  }
  bool stop() {
    broken_ = true;
    return false;
  }

  std::span<const std::byte> left_;
  bool broken_ = false;
};

}  // namespace stoker::record
