#include "pack/shard_plan.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace stoker::packing {

namespace {
constexpr std::size_t kShardsInAFolder = 1000;
}

std::string ShardPlan::file_name(std::size_t shard) const {
  return numbered ? fmt::format("{}-{:06}{}", stem, shard, ending) : stem + ending;
}

std::string ShardPlan::relative_path(std::size_t shard) const {
  if (shards() <= kShardsInAFolder) return file_name(shard);
  return fmt::format("{}-{:03}/{}", stem, shard / kShardsInAFolder, file_name(shard));
}

ShardRange ShardPlan::shards_of(PackPart part) const {
  const std::uint64_t count = shards();
  return {count * part.index / part.count, count * (part.index + 1) / part.count};
}

std::vector<std::uint64_t> cuts_by_number(std::uint64_t samples, std::uint64_t shards) {
  const std::uint64_t count = std::max<std::uint64_t>(1, std::min(samples, shards));
  std::vector<std::uint64_t> cuts(count + 1);
  // Written so that no product overflows.
  for (std::uint64_t i = 0; i <= count; ++i) cuts[i] = samples / count * i + std::min(i, samples % count);
  return cuts;
}

void SizeCutter::add(double sample_bytes) {
  if (samples_ > cuts_.back() && bytes_ + sample_bytes > most_) {
    cuts_.push_back(samples_);
    bytes_ = 0;
  }
  bytes_ += sample_bytes;
  ++samples_;
}

std::vector<std::uint64_t> SizeCutter::cuts() {
  std::vector<std::uint64_t> all = cuts_;
  all.push_back(samples_);
  return all;
}

}  // namespace stoker::packing
