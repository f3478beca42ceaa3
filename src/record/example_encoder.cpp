#include "record/example_encoder.hpp"

#include <fmt/format.h>

#include "base/endian.hpp"
#include "base/utf8.hpp"
#include "record/example_format.hpp"
#include "record/protobuf_wire.hpp"

namespace stoker::record {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kViewBytes = 4'096;  // from here on a copy costs more than a piece of its own

constexpr std::uint32_t tag_of(std::uint32_t number) {
  return number << 3 | static_cast<std::uint32_t>(Wire::bytes);
}

constexpr std::uint64_t framed(std::uint64_t bytes) { return 1 + varint_bytes(bytes) + bytes; }

ExampleKind kind_of(FieldType type) {
  switch (type) {
    case FieldType::bytes:
    case FieldType::bytes_list:
      return ExampleKind::bytes;
    case FieldType::float32:
      return ExampleKind::floats;
    case FieldType::int64:
      return ExampleKind::integers;
  }
  return ExampleKind::none;
}

// Of the list message; none if `bytes` are no field of that type.
std::optional<std::uint64_t> list_bytes(FieldType type, Bytes bytes) {
  std::uint64_t total = 0;
  switch (type) {
    case FieldType::bytes:
      return framed(bytes.size());
    case FieldType::bytes_list:
      if (!for_each_string(bytes, [&](Bytes value) { total += framed(value.size()); })) return std::nullopt;
      return total;
    case FieldType::float32:
      if (bytes.size() % sizeof(float) != 0) return std::nullopt;
      return bytes.empty() ? 0 : framed(bytes.size());
    case FieldType::int64:
      if (bytes.size() % sizeof(std::uint64_t) != 0) return std::nullopt;
      for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t))
        total += varint_bytes(load_le<std::uint64_t>(bytes.data() + i));
      return bytes.empty() ? 0 : framed(total);
  }
  return std::nullopt;
}

}  // namespace

void ExampleEncoder::clear() {
  own_.clear();
  viewed_.clear();
  viewed_bytes_ = 0;
  value_offset_ = 0;
}

void ExampleEncoder::put_varint(std::uint64_t value) {
  std::byte bytes[kLongestVarint];
  own_.insert(own_.end(), bytes, bytes + store_varint(bytes, value));
}

void ExampleEncoder::put_tag(std::uint32_t number, std::uint64_t length) {
  put_varint(tag_of(number));
  put_varint(length);
}

void ExampleEncoder::put_bytes(Bytes bytes) {
  if (bytes.size() < kViewBytes) {
    own_.insert(own_.end(), bytes.begin(), bytes.end());
    return;
  }
  viewed_.push_back({own_.size(), bytes});
  viewed_bytes_ += bytes.size();
}

std::optional<std::string> ExampleEncoder::add(std::string_view name, FieldType type, Bytes bytes) {
  if (!is_utf8(name)) return "a name that is not UTF-8";
  const auto list = list_bytes(type, bytes);
  if (!list) return fmt::format("{} bytes that are no values of its type", bytes.size());
  const auto kind = static_cast<std::uint32_t>(kind_of(type));
  const std::uint64_t feature = framed(*list);
  put_tag(kFeaturesEntry, framed(name.size()) + framed(feature));
  put_tag(kEntryKey, name.size());
  put_bytes(std::as_bytes(std::span(name)));
  put_tag(kEntryFeature, feature);
  put_tag(kind, *list);
  if (*list == 0) return std::nullopt;
  switch (type) {
    case FieldType::bytes:
      put_tag(kListValue, bytes.size());
      value_offset_ = own_.size() + viewed_bytes_;
      put_bytes(bytes);
      break;
    case FieldType::bytes_list:
      for_each_string(bytes, [&](Bytes value) {
        put_tag(kListValue, value.size());
        put_bytes(value);
      });
      break;
    case FieldType::float32:
      put_tag(kListValue, bytes.size());
      put_bytes(bytes);
      break;
    case FieldType::int64: {
      std::uint64_t packed = 0;
      for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t))
        packed += varint_bytes(load_le<std::uint64_t>(bytes.data() + i));
      put_tag(kListValue, packed);
      for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t))
        put_varint(load_le<std::uint64_t>(bytes.data() + i));
      break;
    }
  }
  return std::nullopt;
}

std::size_t ExampleEncoder::make_header(std::byte* to) const {
  const std::size_t tag = store_varint(to, tag_of(kExampleFeatures));
  return tag + store_varint(to + tag, own_.size() + viewed_bytes_);
}

std::uint64_t ExampleEncoder::header_bytes() const { return 1 + varint_bytes(own_.size() + viewed_bytes_); }

std::uint64_t ExampleEncoder::bytes() const { return header_bytes() + own_.size() + viewed_bytes_; }

}  // namespace stoker::record
