#include "record/recordio_container.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/endian.hpp"
#include "record/open_if_there.hpp"
#include "record/recordio_format.hpp"
#include "record/text_index.hpp"

namespace stoker::record {

Walked RecordIOContainer::walk_record(WindowReader& window, std::uint64_t offset,
                                      std::uint64_t container_bytes) const {
  PartSequence parts;
  while (!parts.complete()) {
    const std::uint64_t at = offset + parts.framed_bytes();
    const std::uint64_t left = container_bytes - at;
    const auto header = window.at(at, std::min<std::uint64_t>(kPartHeader, left));
    if (auto reason = parts.add(header, at, left))
      return {.damage = Damage{offset, std::move(*reason)},
              .resume = parts.next_begins_here() ? at : offset + 4};
  }
  return {.end = offset + parts.framed_bytes()};
}

std::optional<std::uint64_t> RecordIOContainer::find_record(WindowReader& window, std::uint64_t from,
                                                            std::uint64_t limit) const {
  std::uint64_t position = padded(from);
  while (position < limit && limit - position >= kPartHeader) {
    const auto bytes =
        window.at(position, std::min<std::uint64_t>(WindowReader::kLargestWindow, limit - position));
    if (bytes.size() < kPartHeader) return std::nullopt;
    std::size_t found = find_magic(bytes);
    while (found + kPartHeader <= bytes.size()) {
      if (begins_record(bytes.subspan(found))) return position + found;
      found = find_magic(bytes, found + 4);
    }
    // The last word may be a magic whose second word lies behind the window.
    position += (bytes.size() & ~std::size_t{3}) - 4;
  }
  return std::nullopt;
}

// Data never holds the magic where a record could begin. (Without the first condition this would accuse files
// of writers that do not escape it.)
std::optional<Damage> RecordIOContainer::distrust(WindowReader& window, std::uint64_t begin,
                                                  std::uint64_t end, std::uint64_t container_bytes) const {
  const std::uint64_t left = container_bytes - end;
  if (left == 0) return std::nullopt;
  const auto next = window.at(end, std::min<std::uint64_t>(kPartHeader, left));
  if (next.size() >= 4 && load_le<std::uint32_t>(next.data()) == kMagic) return std::nullopt;
  const auto inside = find_record(window, begin + 4, end);
  if (!inside) return std::nullopt;
  return Damage{
      begin, fmt::format("its length leads to offset {}, where no record begins, past one that begins at {}",
                         end, *inside)};
}

std::optional<std::string> RecordIOContainer::unpack(std::span<std::byte> extent, std::uint64_t offset,
                                                     std::uint64_t ordinal, Sample& sample) const {
  Unframed record = unframe(extent, offset);
  if (record.damage) return std::move(record.damage);
  describe_record(record.data, ordinal, sample);
  return std::nullopt;
}

std::optional<std::vector<std::uint64_t>> RecordIOContainer::offsets_by_text_index(
    Store& store, const ReadableFile& container) const {
  const auto text = open_if_there(store, text_index_path(container.path()));
  return text ? offsets_of_text_index(*text, container) : std::nullopt;
}

}  // namespace stoker::record
