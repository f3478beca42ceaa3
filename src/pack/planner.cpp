// plan_pack: really prepares a few samples, spread evenly over the source, and reckons the whole from them.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "stoker/record.hpp"

#include "base/cpus.hpp"
#include "pack/class_names.hpp"
#include "pack/clocks.hpp"
#include "pack/destination.hpp"
#include "pack/packed_sample.hpp"
#include "pack/tally.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kProbes = 64;
constexpr std::uint64_t kFramingBytes = 8 + 24;  // RecordIO's part header and the image header

std::vector<std::size_t> spread(std::size_t count) {
  const std::size_t n = std::min(count, kProbes);
  std::vector<std::size_t> picked(n);
  for (std::size_t i = 0; i < n; ++i) picked[i] = (2 * i + 1) * count / (2 * n);
  return picked;
}

std::uint64_t record_bytes(const PackedSample& sample) {
  const std::size_t labels = sample.sample.labels.size();
  const std::uint64_t header = labels == 0 ? 8 : kFramingBytes + (labels > 1 ? 4 * labels : 0);
  return header + (sample.payload.size() + 3) / 4 * 4;
}

std::uint64_t scaled(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
}

}  // namespace
}  // namespace stoker::packing

namespace stoker {

PackReport plan_pack(const PackOptions& options) {
  using namespace packing;
  const Destination to = check_options(options);
  if (options.open.classes_file.empty()) check_class_folders(options);
  const auto source = open_pack_source(options);
  const std::string root = root_of_keys(options, source->format());
  const std::size_t count = source->size();
  const std::vector<std::size_t> picked = spread(count);
  SampleTools tools(options);
  PackedSample sample;
  Tally tally(options);
  std::uint64_t bytes_out = 0, index_bytes = 0;
  const Stopwatch watch;
  for (const std::size_t index : picked) {
    prepare_sample(*source, index, root, tools, sample);
    if (!tally.add(sample)) continue;
    bytes_out += record_bytes(sample);
    if (sample.seek) index_bytes += record::seek_entry_bytes(sample.seek_points.size());
  }
  const double wall_s = watch.wall_s();
  const double cpu_s = watch.cpu_s();

  PackReport report = std::move(tally.report());
  report.too_many_bad = tally.too_many_bad();
  const double factor = picked.empty() ? 0 : static_cast<double>(count) / static_cast<double>(picked.size());
  report.estimated = picked.size() < count;
  report.inputs = count;
  report.skipped_count = scaled(report.skipped_count, factor);
  report.packed = count - report.skipped_count;
  for (auto& [kind, images] : report.changed) images = scaled(images, factor);
  report.bytes_in = scaled(report.bytes_in, factor);
  report.bytes_out = scaled(bytes_out, factor);
  report.indexed = scaled(report.indexed, factor);
  for (auto& [reason, images] : report.not_indexable) images = scaled(images, factor);
  if (options.seek_index) report.index_bytes = scaled(index_bytes, factor) + record::kSeekFrameBytes;
  report.shards = {{.path = to.shard, .records = report.packed, .bytes = report.bytes_out, .crc32c = 0}};
  report.classes = source->classes();
  report.passed_over = hidden_folders(options);
  report.cpu_s = cpu_s * factor;
  report.wall_s = wall_s * factor / threads_or_allowed(options.threads);
  report.images_per_s = report.wall_s > 0 ? static_cast<double>(report.packed) / report.wall_s : 0;
  return report;
}

}  // namespace stoker
