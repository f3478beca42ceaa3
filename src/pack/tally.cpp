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

}  // namespace

void Tally::add_to_source(const PackedSample& sample) {
  record::ManifestSource& source = sum_.source;
  ++source.samples;
  source.bytes += sample.bytes_in;
  std::array<std::byte, 1 + sizeof(std::uint64_t)> tail{};
  store_le(tail.data() + 1, sample.bytes_in);
  const auto labels = std::as_bytes(std::span(sample.sample.labels));
  source.crc32c = crc32c(std::as_bytes(std::span(sample.key)), source.crc32c);
  source.crc32c = crc32c(tail, source.crc32c);
  source.crc32c = crc32c(labels, source.crc32c);
  sum_.source_bytes += sample.key.size() + tail.size() + labels.size();
}

bool Tally::add(const PackedSample& sample) {
  PackReport& report = sum_.report;
  ++report.inputs;
  report.bytes_in += sample.bytes_in;
  add_to_source(sample);
  if (!sample.fault) {
    ++report.packed;
    sample.changes.count_into(report.changed);
    if (!sample.kept.empty()) ++report.kept[sample.kept];
    for (const std::string& name : sample.dropped_fields) ++report.dropped_fields[name];
    if (sample.seek) count_points(*sample.seek);
    if (!sample.warning.empty() && ++report.warned_count <= kNamedSamples)
      report.warned.push_back({sample.key, sample.warning});
    return true;
  }
  if (options_.on_error == OnError::raise) {
    throw Error(sample.fault->code(),
                {.operation = "pack",
                 .object = sample.key,
                 .found = sample.fault->what(),
                 .next_step = "repair or remove it, or skip bad samples (on-error skip)"});
  }
  if (++report.skipped_count <= kNamedSamples) report.skipped.push_back({sample.key, sample.fault->what()});
  return false;
}

void Tally::count_points(const record::SeekEntry& entry) {
  if (entry.points > 0)
    ++sum_.report.indexed;
  else
    ++sum_.report.not_indexable[std::string(to_string(static_cast<jpeg::SeekReason>(entry.reason)))];
}

bool too_many_bad(const PackReport& report, const PackOptions& options) {
  return static_cast<double>(report.skipped_count) >
         options.max_bad_share * static_cast<double>(report.inputs) + kRounding;
}

}  // namespace stoker::packing
