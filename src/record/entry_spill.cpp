#include "record/entry_spill.hpp"

namespace stoker::record {

bool EntrySpill::add(std::size_t record, std::size_t number, const SeekEntry& entry,
                     std::span<const std::byte> packed) {
  Place& place = places_[record];
  if (place.bytes > 0 && place.points > entry.points) {
    const auto before = parse_entry(number, read(record, scratch_));
    if (before && is_same_image(before->entry, entry)) return false;
  }
  scratch_.clear();
  append_entry(number, entry, packed, scratch_);
  const std::uint64_t at = file_.append(scratch_);
  const bool is_first = place.bytes == 0;
  if (is_first) ++entries_;
  place = {.at = at, .bytes = static_cast<std::uint32_t>(scratch_.size()), .points = entry.points};
  return is_first;
}

std::span<const std::byte> EntrySpill::read(std::size_t record, std::vector<std::byte>& memory) {
  const Place& place = places_[record];
  memory.resize(place.bytes);
  if (place.bytes > 0) file_.read_at(place.at, memory);
  return memory;
}

void EntrySpill::clear() {
  file_.clear();
  places_.assign(places_.size(), {});
  entries_ = 0;
}

}  // namespace stoker::record
