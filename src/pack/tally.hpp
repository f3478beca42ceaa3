// Accounts for every input of a shard, in the order of the source.
#pragma once

#include <cstdint>

#include "stoker/pack.hpp"

#include "pack/packed_sample.hpp"
#include "pack/shard_summary.hpp"

namespace stoker::packing {

// Threads: one at a time.
class Tally {
 public:
  Tally(const PackOptions& options, ShardRange range) : options_(options) { sum_.range = range; }

  // Counts one sample, and says whether it is to be packed.
  // Errors: with OnError::raise the sample's fault, naming its key.
  bool add(const PackedSample& sample);

  const PackReport& report() const { return sum_.report; }
  // The CRC-32C of its source is over each sample's key, a zero byte, its size as 8 little-endian bytes, and
  // its labels as float32.
  ShardSummary& summary() { return sum_; }

 private:
  void add_to_source(const PackedSample& sample);
  void count_points(const record::SeekEntry& entry);

  const PackOptions& options_;
  ShardSummary sum_;
};

// Whether more were skipped than max_bad_share allows.
bool too_many_bad(const PackReport& report, const PackOptions& options);

}  // namespace stoker::packing
