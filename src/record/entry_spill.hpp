// The entries of a seek index as they are met: on disk, but for where each lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/seek_index.hpp"
#include "record/spill_file.hpp"

namespace stoker::record {

// Threads: one at a time. Cost: 16 bytes of memory a record.
class EntrySpill {
 public:
  EntrySpill(std::size_t records, SpillFile file) : file_(std::move(file)), places_(records) {}

  // The entry of record `record`, which is number `number` in its container. Of two entries for the same
  // image the one with more points stays; of two images, the one that came last. True: it is the record's
  // first. Errors: io, out_of_resources.
  bool add(std::size_t record, std::size_t number, const SeekEntry& entry, std::span<const std::byte> packed);
  // The record's entry as it stands in an index, in `memory`; empty: none. Errors: io.
  std::span<const std::byte> read(std::size_t record, std::vector<std::byte>& memory);
  std::size_t records() const { return places_.size(); }
  std::uint64_t entries() const { return entries_; }
  void clear();

 private:
  struct Place {
    std::uint64_t at = 0;
    std::uint32_t bytes = 0;  // 0: none
    std::uint32_t points = 0;
  };

  SpillFile file_;
  std::vector<Place> places_;
  std::uint64_t entries_ = 0;
  std::vector<std::byte> scratch_;
};

}  // namespace stoker::record
