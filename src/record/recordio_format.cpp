#include "record/recordio_format.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/endian.hpp"
#include "base/units.hpp"

namespace stoker::record {

namespace {

constexpr std::uint64_t kMagicBytes = sizeof(kMagic);

std::string at(std::uint64_t offset) { return fmt::format("at offset {}", offset); }

}  // namespace

std::optional<std::string> PartSequence::add(std::span<const std::byte> header, std::uint64_t offset,
                                             std::uint64_t left) {
  if (header.size() < kPartHeader || left < kPartHeader)
    return fmt::format("the container ends {}, {} bytes into a header of 8",
                       at(offset + std::min<std::uint64_t>(left, header.size())),
                       std::min<std::uint64_t>(left, header.size()));
  const auto magic = load_le<std::uint32_t>(header.data());
  if (magic != kMagic) return fmt::format("{:#010x} instead of the magic 0xced7230a {}", magic, at(offset));
  const auto word = load_le<std::uint32_t>(header.data() + 4);
  const std::uint32_t kind = word >> 29;
  const std::uint64_t bytes = word & kLengthMask;
  if (kind > 3) return fmt::format("part kind {} {} (allowed: 0 to 3)", kind, at(offset));
  const bool begins = kind == static_cast<std::uint32_t>(PartKind::whole) ||
                      kind == static_cast<std::uint32_t>(PartKind::first);
  if (!started() && !begins)
    return fmt::format("a {} part where a record should begin, {}", kind == 2 ? "middle" : "last",
                       at(offset));
  if (started() && begins) {
    next_begins_here_ = true;
    return fmt::format("the record has no last part: another record begins {}", at(offset));
  }
  if (padded(bytes) > left - kPartHeader)
    return fmt::format("a part {} of {} bytes, with padding, goes {} bytes beyond the end of the container",
                       at(offset), bytes, padded(bytes) - (left - kPartHeader));
  const bool ends = kind == static_cast<std::uint32_t>(PartKind::whole) ||
                    kind == static_cast<std::uint32_t>(PartKind::last);
  if (!ends && bytes % 4 != 0)
    return fmt::format("a part {} of {} bytes that is not the last (allowed: a multiple of 4)", at(offset),
                       bytes);
  const std::uint64_t total = data_bytes_ + (started() ? kMagicBytes : 0) + bytes;
  if (total >= kRecordLimit)
    return fmt::format("the parts up to {} make a record of {} or more (allowed: less than 512 MiB)",
                       at(offset), format_bytes(total));
  ++parts_;
  part_bytes_ = bytes;
  data_bytes_ = total;
  framed_bytes_ += kPartHeader + padded(bytes);
  complete_ = ends;
  return std::nullopt;
}

Unframed unframe(std::span<std::byte> bytes, std::uint64_t offset) {
  PartSequence parts;
  std::size_t data_end = kPartHeader;
  while (!parts.complete()) {
    const std::uint64_t position = parts.framed_bytes();
    const auto rest = bytes.subspan(position);
    const bool follows = parts.started();
    if (auto damage =
            parts.add(rest.first(std::min(rest.size(), kPartHeader)), offset + position, rest.size()))
      return {.damage = std::move(damage)};
    if (follows) {  // a header of 8 makes way for the magic of 4 that it replaced: data only ever moves down
      store_le(bytes.data() + data_end, kMagic);
      data_end += kMagicBytes;
      std::memmove(bytes.data() + data_end, rest.data() + kPartHeader, parts.part_bytes());
    }
    data_end += parts.part_bytes();
  }
  return {.data = bytes.subspan(kPartHeader, parts.data_bytes()), .framed = parts.framed_bytes()};
}

std::size_t find_magic(std::span<const std::byte> bytes, std::size_t from) {
  constexpr std::size_t kBlockWords = 64;
  std::size_t position = from;
  const std::size_t end = bytes.size() & ~std::size_t{3};
  // Whole blocks first: without a way out of the loop the compiler compares many words at once.
  while (position + kBlockWords * 4 <= end) {
    std::uint32_t hit = 0;
    for (std::size_t i = 0; i < kBlockWords; ++i)
      hit |= static_cast<std::uint32_t>(load_le<std::uint32_t>(bytes.data() + position + i * 4) == kMagic);
    if (hit) break;
    position += kBlockWords * 4;
  }
  for (; position < end; position += 4)
    if (load_le<std::uint32_t>(bytes.data() + position) == kMagic) return position;
  return bytes.size();
}

bool begins_record(std::span<const std::byte> bytes) {
  return bytes.size() >= kPartHeader && load_le<std::uint32_t>(bytes.data()) == kMagic &&
         load_le<std::uint32_t>(bytes.data() + 4) >> 29 <= 1;
}

void describe_record(std::span<const std::byte> data, std::uint64_t ordinal, Sample& sample) {
  std::uint64_t id = ordinal;
  std::size_t header = 0;
  sample.labels.clear();
  if (data.size() >= kImageHeader) {
    const std::uint64_t label_count = load_le<std::uint32_t>(data.data());
    if (kImageHeader + 4 * label_count <= data.size()) {
      header = kImageHeader + 4 * label_count;
      id = load_le<std::uint64_t>(data.data() + 8);
      if (label_count == 0) {
        sample.labels.push_back(load_le<float>(data.data() + 4));
      } else {
        sample.labels.resize(label_count);
        std::memcpy(sample.labels.data(), data.data() + kImageHeader, 4 * label_count);
      }
    }
  }
  char digits[20];
  sample.key.assign(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
  sample.fields.resize(1);
  sample.fields[0].type = FieldType::bytes;
  sample.fields[0].role = FieldRole::content;
  sample.fields[0].name = header > 0 ? "image" : "data";
  sample.fields[0].bytes = data.subspan(header);
  sample.main_field = 0;
}

}  // namespace stoker::record
