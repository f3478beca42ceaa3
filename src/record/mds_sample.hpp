// One sample of an MDS shard.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "stoker/record.hpp"

#include "record/mds_index.hpp"

namespace stoker::record {

// Room that unpack_mds_sample() needs in the sample's buffer behind the stored bytes.
std::uint64_t mds_room(const MdsColumns& columns);

// Fills key, labels, fields and main field of `sample` from the stored bytes, the first `bytes` of `room`,
// which lies in sample.buffer; numbers become int64 or float32 behind them, those that these do not hold
// (uint64, float64) text. What is damaged, or none. Source: docs/formats/mds.md.
std::optional<std::string> unpack_mds_sample(const MdsColumns& columns, std::span<std::byte> room,
                                             std::uint64_t bytes, std::uint64_t ordinal, Sample& sample);

}  // namespace stoker::record
