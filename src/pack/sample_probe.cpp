#include "pack/sample_probe.hpp"

#include <algorithm>

#include "pack/clocks.hpp"
#include "pack/pack_source.hpp"
#include "pack/packed_sample.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kProbes = 256;

std::uint64_t padding(std::uint64_t bytes, std::uint64_t to) { return (to - bytes % to) % to; }

// What the format needs around the fields of a sample. Of TFRecord about so many: names, sizes and facts.
std::uint64_t overhead_of(const PackedSample& sample, RecordFormat format) {
  constexpr std::uint64_t kPart = 8, kImageHeader = 24, kTarBlock = 512, kExample = 320;
  if (format == RecordFormat::tfrecord) return kExample + sample.key.size();
  if (format == RecordFormat::tar) {
    std::uint64_t bytes = sample.labels.empty() ? 0 : 2 * kTarBlock;
    for (const Field& field : sample.fields)
      if (field.role == FieldRole::content) bytes += kTarBlock + padding(field.bytes.size(), kTarBlock);
    return bytes;
  }
  const std::uint64_t labels = sample.labels.size();
  return kPart + (labels == 0 ? 0 : kImageHeader + (labels > 1 ? 4 * labels : 0)) +
         padding(sample.payload.size(), 4);
}

}  // namespace

SampleProbe probe_samples(const PackOptions& options, const Destination& to, const RecordReader& source) {
  SampleProbe probe;
  const std::string root = root_of_keys(options, source.format());
  SampleTools tools(options, to.format, nullptr);
  PackedSample sample;
  Tally tally(options, {});
  const Stopwatch watch;
  const std::size_t count = source.size(), probes = std::min(count, kProbes);
  for (std::size_t i = 0; i < probes; ++i) {
    prepare_sample(source, evenly_spread(i, probes, count), root, tools, sample);
    ++probe.samples;
    if (!tally.add(sample)) continue;
    const std::uint64_t overhead = overhead_of(sample, to.format);
    probe.overhead += overhead;
    probe.bytes_out += overhead;
    for (const Field& field : sample.fields)
      if (field.role == FieldRole::content) probe.bytes_out += field.bytes.size();
    if (sample.seek) probe.index_bytes += record::seek_entry_bytes(sample.seek_points.size());
  }
  probe.wall_s = watch.wall_s();
  probe.cpu_s = watch.cpu_s();
  probe.report = std::move(tally.summary().report);
  return probe;
}

}  // namespace stoker::packing
