// What the tests of TFRecord share: Examples and records, byte by byte. Tests only.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc.hpp"
#include "record/record_fixture.hpp"
#include "record/tfrecord_format.hpp"

namespace stoker::record::tf {

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}

// A field of a message that is bytes, text or a message.
inline std::string field(std::uint32_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string text(sizeof(T) * values.size(), '\0');
  if (!values.empty()) std::memcpy(text.data(), values.data(), text.size());
  return text;
}

// Features.
inline std::string strings(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += field(1, value);
  return field(1, list);
}
inline std::string floats(const std::vector<float>& values) {
  return field(2, values.empty() ? "" : field(1, raw(values)));
}
inline std::string loose_floats(const std::vector<float>& values) {
  std::string list;
  for (const float value : values) list += varint(1 << 3 | 5) + raw(std::vector{value});
  return field(2, list);
}
inline std::string packed_integers(const std::vector<std::int64_t>& values) {
  std::string packed;
  for (const std::int64_t value : values) packed += varint(static_cast<std::uint64_t>(value));
  return packed;
}
inline std::string integers(const std::vector<std::int64_t>& values) {
  return field(3, values.empty() ? "" : field(1, packed_integers(values)));
}
inline std::string loose_integers(const std::vector<std::int64_t>& values) {
  std::string list;
  for (const std::int64_t value : values) list += varint(1 << 3) + varint(static_cast<std::uint64_t>(value));
  return field(3, list);
}

inline std::string entry(std::string_view name, std::string_view feature) {
  return field(1, field(1, name) + field(2, feature));
}
inline std::string example(const std::vector<std::string>& entries) {
  std::string all;
  for (const std::string& one : entries) all += one;
  return field(1, all);
}

inline std::string record(std::string_view data) {
  const auto head = tfrecord_head(data.size());
  const auto tail = tfrecord_tail(crc32c(bytes_of(data)));
  return text_of(head) + std::string(data) + text_of(tail);
}

}  // namespace stoker::record::tf
