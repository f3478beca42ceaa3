#include "pack/tally.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "base/crc.hpp"
#include "base/endian.hpp"
#include "jpeg/seek_reason.hpp"

namespace stoker::packing {
namespace {

constexpr double kRounding = 1e-9;  // 0.29 of 100 samples are 29, whatever binary fractions say

std::uint32_t add_to_crc(std::uint32_t crc, const PackedSample& sample) {
  std::array<std::byte, 1 + sizeof(std::uint64_t)> tail{};
  store_le(tail.data() + 1, sample.bytes_in);
  crc = crc32c(std::as_bytes(std::span(sample.key)), crc);
  crc = crc32c(tail, crc);
  return crc32c(std::as_bytes(std::span(sample.sample.labels)), crc);
}

}  // namespace

bool Tally::add(const PackedSample& sample) {
  ++report_.inputs;
  report_.bytes_in += sample.bytes_in;
  ++fingerprint_.samples;
  fingerprint_.bytes += sample.bytes_in;
  fingerprint_.crc32c = add_to_crc(fingerprint_.crc32c, sample);
  if (!sample.fault) {
    ++report_.packed;
    sample.changes.count_into(report_.changed);
    if (sample.seek) count_points(*sample.seek);
    if (!sample.warning.empty()) report_.warned.push_back({sample.key, sample.warning});
    return true;
  }
  if (options_.on_error == OnError::raise) {
    throw Error(sample.fault->code(),
                {.operation = "pack",
                 .object = sample.key,
                 .found = sample.fault->what(),
                 .next_step = "repair or remove it, or skip bad samples (on-error skip)"});
  }
  ++report_.skipped_count;
  report_.skipped.push_back({sample.key, sample.fault->what()});
  return false;
}

void Tally::count_points(const record::SeekEntry& entry) {
  if (entry.points > 0)
    ++report_.indexed;
  else
    ++report_.not_indexable[std::string(to_string(static_cast<jpeg::SeekReason>(entry.reason)))];
}

bool Tally::too_many_bad() const {
  return static_cast<double>(report_.skipped_count) >
         options_.max_bad_share * static_cast<double>(report_.inputs) + kRounding;
}

}  // namespace stoker::packing
