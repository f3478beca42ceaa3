// plan_pack: really prepares a few samples, spread evenly over the source, and reckons the whole from them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "stoker/record.hpp"

#include "base/cpus.hpp"
#include "pack/class_names.hpp"
#include "pack/clocks.hpp"
#include "pack/destination.hpp"
#include "pack/evenly_spread.hpp"
#include "pack/image_plan.hpp"
#include "pack/pack_source.hpp"
#include "pack/sample_probe.hpp"
#include "pack/shard_plan.hpp"
#include "record/seek_index.hpp"
#include "store/local_store.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kLooks = 10'000;  // at sizes

std::uint64_t scaled(std::uint64_t value, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
}

// The bytes of all samples, by the sizes of many of them.
std::uint64_t bytes_of_source(const PackOptions& options, const RecordReader& source) {
  const std::size_t count = source.size(), looks = std::min(count, kLooks);
  const auto store = options.open.store ? options.open.store : open_store(options.source);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < looks; ++i) {
    const RecordInfo info = source.info(evenly_spread(i, looks, count));
    if (info.bytes > 0) {
      bytes += info.bytes;
    } else if (const auto file = store->info(info.container)) {
      bytes += file->bytes;
    }
  }
  return looks == 0 ? 0 : scaled(bytes, static_cast<double>(count) / static_cast<double>(looks));
}

// The destination's folder, or what of its path there is so far.
std::string existing_folder(const Destination& to) {
  std::error_code failed;
  std::filesystem::path folder =
      std::filesystem::absolute(store::local_path(to.name()), failed).parent_path();
  while (!folder.empty() && !std::filesystem::is_directory(folder, failed)) {
    if (folder == folder.parent_path()) return "";
    folder = folder.parent_path();
  }
  return folder.string();
}

void reckon_shards(const PackOptions& options, const Destination& to, PackReport& report) {
  ShardPlan plan{
      .stem = to.stem, .ending = to.ending, .numbered = options.shards > 0 || options.shard_bytes > 0};
  std::uint64_t shards = std::max<std::uint64_t>(1, options.shards);
  if (options.shard_bytes > 0)
    shards = std::max<std::uint64_t>(1, (report.bytes_out + options.shard_bytes - 1) / options.shard_bytes);
  plan.cuts = cuts_by_number(report.inputs, shards);
  report.shards_planned = plan.shards();
  for (std::size_t i = 0; i < plan.shards(); ++i) {
    const double share = report.inputs == 0
                             ? 1
                             : static_cast<double>(plan.range(i).size()) / static_cast<double>(report.inputs);
    report.shards.push_back({.path = to.path(plan.relative_path(i)),
                             .records = scaled(report.packed, share),
                             .bytes = scaled(report.bytes_out, share),
                             .crc32c = 0});
  }
}

}  // namespace
}  // namespace stoker::packing

namespace stoker {

PackReport plan_pack(const PackOptions& options) {
  using namespace packing;
  const Destination to = check_options(options);
  if (options.open.classes_file.empty()) check_class_folders(options);
  const Stopwatch opening;
  const auto source = open_pack_source(options);
  const double open_wall_s = opening.wall_s(), open_cpu_s = opening.cpu_s();
  const std::size_t count = source->size();
  SampleProbe probe = probe_samples(options, to, *source, existing_folder(to));

  PackReport report = std::move(probe.report);
  report.too_many_bad = too_many_bad(report, options);
  const double factor =
      probe.samples == 0 ? 0 : static_cast<double>(count) / static_cast<double>(probe.samples);
  report.estimated = probe.samples < count;
  const std::uint64_t probed_in = report.bytes_in, probed_packed = report.packed;
  report.inputs = count;
  report.skipped_count = scaled(report.skipped_count, factor);
  report.warned_count = scaled(report.warned_count, factor);
  report.packed = count - report.skipped_count;
  for (auto* counts : {&report.changed, &report.kept, &report.not_indexable, &report.dropped_fields})
    for (auto& [kind, images] : *counts) images = scaled(images, factor);
  report.indexed = scaled(report.indexed, factor);
  report.bytes_in = report.estimated ? bytes_of_source(options, *source) : probed_in;
  report.bytes_out = scaled(probe.bytes_out, factor);
  // Bytes that pass through are as many as come in: known better than by the few that were probed.
  if (report.estimated && !touches_pixels(options) && probed_in > 0 && probed_packed > 0)
    report.bytes_out = scaled(probe.overhead, factor) +
                       scaled(report.bytes_in, static_cast<double>(probe.bytes_out - probe.overhead) /
                                                   static_cast<double>(probed_in));
  if (options.seek_index) report.index_bytes = scaled(probe.index_bytes, factor) + record::kSeekFrameBytes;
  reckon_shards(options, to, report);
  for (PackedShard& shard : report.shards) shard.bytes += probe.closing;
  report.bytes_out += probe.closing * report.shards.size();
  report.classes = source->classes();
  report.passed_over = hidden_folders(options);
  report.cpu_s = open_cpu_s + probe.cpu_s * factor;
  report.wall_s =
      open_wall_s + (probe.wall_s / threads_or_allowed(options.threads) + probe.sync_wall_s) * factor;
  report.images_per_s = report.wall_s > 0 ? static_cast<double>(report.packed) / report.wall_s : 0;
  return report;
}

}  // namespace stoker
