// What is known of one finished shard: a report of its samples, kept beside it until the pack is whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stoker/pack.hpp"

#include "base/result.hpp"
#include "pack/shard_plan.hpp"
#include "record/dataset_manifest.hpp"

namespace stoker::packing {

// report.shards holds the shard alone. `source` is of the samples of its range, `source_bytes` how many bytes
// its CRC-32C is over, so that those of neighbours combine.
struct ShardSummary {
  ShardRange range;
  PackReport report;
  record::ManifestSource source;
  std::uint64_t source_bytes = 0;
};

// As bytes (CBOR, since keys may be any bytes); times are left out, so that the same work leaves the same
// bytes.
std::string to_bytes(const ShardSummary& summary);
// Errors: corrupt_data.
Result<ShardSummary> summary_from_bytes(std::string_view text, const std::string& path);

// Adds what `next` counted behind the samples of `sum`.
void add_summary(ShardSummary& sum, ShardSummary&& next);

}  // namespace stoker::packing
