#include "pack/sample_probe.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "pack/clocks.hpp"
#include "pack/evenly_spread.hpp"
#include "pack/pack_source.hpp"
#include "pack/packed_sample.hpp"
#include "pack/scratch_store.hpp"
#include "pack/shard_writer.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kProbes = 256;

std::uint64_t content_bytes(const PackedSample& sample) {
  std::uint64_t bytes = 0;
  for (const Field& field : sample.fields)
    if (field.role == FieldRole::content) bytes += field.bytes.size();
  return bytes;
}

// `spent` was spent until now; of the bytes that were only counted, as much a byte as of those that were
// written.
void add_cost(const Stopwatch& spent, const ScratchCost& cost, SampleProbe& probe) {
  const double counted = cost.written == 0 ? 0
                                           : static_cast<double>(cost.appended - cost.written) /
                                                 static_cast<double>(cost.written);
  probe.wall_s = spent.wall_s() - cost.sync_wall_s + counted * cost.wall_s;
  probe.cpu_s = spent.cpu_s() + counted * (cost.cpu_s + cost.sync_cpu_s);
  probe.sync_wall_s = (1 + counted) * cost.sync_wall_s;
}

}  // namespace

SampleProbe probe_samples(const PackOptions& options, const Destination& to, const RecordReader& source,
                          const std::string& scratch) {
  SampleProbe probe;
  const std::string root = root_of_keys(options, source.format());
  const std::size_t count = source.size();
  probe.samples = std::min(count, kProbes);
  PackOptions without_index = options;  // a seek index is written through a folder; here it is only counted
  without_index.seek_index = false;
  const auto store = std::make_shared<ScratchStore>(scratch);
  const WorkFolder work(store, to);
  const ShardPlan plan{.stem = to.stem, .ending = to.ending, .cuts = {0, probe.samples}};
  SampleTools tools(options, to.format, nullptr);
  PackedSample sample;
  std::uint64_t content = 0;
  const Stopwatch watch;
  ShardWriter writer(without_index, to, work, plan, 0, source.classes(), store);
  for (std::size_t i = 0; i < probe.samples; ++i) {
    prepare_sample(source, evenly_spread(i, probe.samples, count), root, tools, sample);
    writer.add(sample);
    if (sample.fault) continue;
    content += content_bytes(sample);
    if (sample.seek) probe.index_bytes += record::seek_entry_bytes(sample.seek_points.size());
  }
  probe.bytes_out = writer.bytes();
  probe.overhead = probe.bytes_out - std::min(content, probe.bytes_out);
  store->sync();
  add_cost(watch, store->cost(), probe);
  writer.finish();
  probe.closing = writer.bytes() - probe.bytes_out;
  probe.report = writer.report();
  probe.report.shards.clear();
  return probe;
}

}  // namespace stoker::packing
