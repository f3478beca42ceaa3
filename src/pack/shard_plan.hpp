// Where a pack cuts its source into shards, and how they are called: the same for every process that asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/pack.hpp"

namespace stoker::packing {

// Samples [first, end) of the source.
struct ShardRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - first; }
};

// Shard i holds samples [cuts[i], cuts[i + 1]).
struct ShardPlan {
  std::string stem;    // NAME, without folder and ending
  std::string ending;  // ".rec"
  bool numbered = false;
  std::vector<std::uint64_t> cuts{0, 0};

  std::size_t shards() const { return cuts.size() - 1; }
  std::uint64_t samples() const { return cuts.back(); }
  ShardRange range(std::size_t shard) const { return {cuts[shard], cuts[shard + 1]}; }
  // NAME.rec, or NAME-000012.rec.
  std::string file_name(std::size_t shard) const;
  // Relative to the folder of the set: of more than a thousand shards each thousand has a sub-folder,
  // NAME-012/NAME-012345.rec.
  std::string relative_path(std::size_t shard) const;
  // The shards that process `part` makes: a run of them, so that each reads a stretch of the source.
  ShardRange shards_of(PackPart part) const;
};

// Cuts of equal numbers of samples, as far as they go; fewer shards than asked for where there are fewer
// samples.
std::vector<std::uint64_t> cuts_by_number(std::uint64_t samples, std::uint64_t shards);

// Cuts before the sample with which a shard would grow beyond `shard_bytes`; a larger sample is alone.
class SizeCutter {
 public:
  explicit SizeCutter(std::uint64_t shard_bytes) : most_(static_cast<double>(shard_bytes)) {}
  void add(double sample_bytes);
  std::vector<std::uint64_t> cuts();

 private:
  const double most_;
  double bytes_ = 0;
  std::uint64_t samples_ = 0;
  std::vector<std::uint64_t> cuts_{0};
};

}  // namespace stoker::packing
