#include "record/mds_sample.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/endian.hpp"
#include "base/float16.hpp"

namespace stoker::record {

namespace {

constexpr std::size_t kSizeBytes = sizeof(std::uint32_t);
constexpr std::size_t kRoomOfNumber = 32;  // the longest text of a double has 24 letters

std::int64_t load_signed(std::span<const std::byte> bytes) {
  switch (bytes.size()) {
    case 1:
      return load_le<std::int8_t>(bytes.data());
    case 2:
      return load_le<std::int16_t>(bytes.data());
    case 4:
      return load_le<std::int32_t>(bytes.data());
    default:
      return load_le<std::int64_t>(bytes.data());
  }
}

std::uint64_t load_unsigned(std::span<const std::byte> bytes) {
  switch (bytes.size()) {
    case 1:
      return load_le<std::uint8_t>(bytes.data());
    case 2:
      return load_le<std::uint16_t>(bytes.data());
    case 4:
      return load_le<std::uint32_t>(bytes.data());
    default:
      return load_le<std::uint64_t>(bytes.data());
  }
}

// A stored number as the bytes of a field, in `room`.
template <class Number>
Field number_field(const MdsColumn& column, FieldType type, Number value, std::span<std::byte> room) {
  store_le(room.data(), value);
  return {.name = column.name, .bytes = room.first(sizeof value), .type = type, .role = column.role};
}
template <class Number>
Field text_field(const MdsColumn& column, Number value, std::span<std::byte> room) {
  char* const begin = reinterpret_cast<char*>(room.data());
  const char* const end = std::to_chars(begin, begin + room.size(), value).ptr;
  return {.name = column.name,
          .bytes = room.first(static_cast<std::size_t>(end - begin)),
          .type = FieldType::bytes,
          .role = column.role};
}

Field field_of(const MdsColumn& column, std::span<const std::byte> stored, std::span<std::byte> room) {
  switch (column.kind) {
    case MdsKind::signed_int:
      return number_field(column, FieldType::int64, load_signed(stored), room);
    case MdsKind::unsigned_int:
      if (column.width == sizeof(std::uint64_t)) return text_field(column, load_unsigned(stored), room);
      return number_field(column, FieldType::int64, static_cast<std::int64_t>(load_unsigned(stored)), room);
    case MdsKind::float_number:
      if (column.width == sizeof(double)) return text_field(column, load_le<double>(stored.data()), room);
      return number_field(column, FieldType::float32,
                          column.width == sizeof(float) ? load_le<float>(stored.data())
                                                        : from_f16(load_le<std::uint16_t>(stored.data())),
                          room);
    case MdsKind::bytes:
    case MdsKind::text:
    case MdsKind::image:
      break;
  }
  return {.name = column.name, .bytes = stored, .type = FieldType::bytes, .role = column.role};
}

float label_of(const MdsColumn& column, std::span<const std::byte> stored) {
  return column.kind == MdsKind::signed_int ? static_cast<float>(load_signed(stored))
                                            : static_cast<float>(load_unsigned(stored));
}

}  // namespace

std::uint64_t mds_room(const MdsColumns& columns) { return columns.columns.size() * kRoomOfNumber; }

std::optional<std::string> unpack_mds_sample(const MdsColumns& all, std::span<std::byte> room,
                                             std::uint64_t bytes, std::uint64_t ordinal, Sample& sample) {
  const std::span<const std::byte> stored = room.first(static_cast<std::size_t>(bytes));
  std::span<std::byte> numbers = room.subspan(stored.size());
  std::size_t header = 0;
  for (const MdsColumn& column : all.columns) header += column.width == 0 ? kSizeBytes : 0;
  if (header > stored.size())
    return fmt::format("a sample of {} bytes, and the sizes of its columns take {}", stored.size(), header);
  sample.key.clear();
  sample.labels.clear();
  sample.fields.clear();
  sample.main_field = all.main;
  std::size_t sizes_at = 0, at = header;
  for (std::size_t i = 0; i < all.columns.size(); ++i) {
    const MdsColumn& column = all.columns[i];
    std::size_t size = column.width;
    if (column.width == 0) {
      size = load_le<std::uint32_t>(stored.data() + sizes_at);
      sizes_at += kSizeBytes;
    }
    if (size > stored.size() - at)
      return fmt::format("the column '{}' of {} bytes, and {} are left of the sample", column.name, size,
                         stored.size() - at);
    const auto value = stored.subspan(at, size);
    at += size;
    sample.fields.push_back(field_of(column, value, numbers.first(kRoomOfNumber)));
    numbers = numbers.subspan(kRoomOfNumber);
    if (i == all.label) sample.labels.push_back(label_of(column, value));
    if (i == all.key) sample.key.assign(reinterpret_cast<const char*>(value.data()), value.size());
  }
  if (at != stored.size())
    return fmt::format("{} bytes behind the last column of the sample", stored.size() - at);
  if (sample.key.empty()) sample.key = std::to_string(ordinal);
  return std::nullopt;
}

}  // namespace stoker::record
