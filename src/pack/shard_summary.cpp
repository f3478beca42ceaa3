#include "pack/shard_summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/crc.hpp"
#include "record/cbor_text.hpp"

namespace stoker::packing {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kSchema = "stoker.shard/1";
// Of a shard: a pack of a hundred thousand shards adds up to kNamedSamples of the first ones anyway.
constexpr std::size_t kNamedInAShard = 100;

Json samples_json(const std::vector<SkippedSample>& samples) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(samples.size(), kNamedInAShard); ++i)
    list.push_back({record::bytes_json(samples[i].key), record::bytes_json(samples[i].reason)});
  return list;
}

std::vector<SkippedSample> samples_of(const Json& list) {
  std::vector<SkippedSample> samples;
  for (const Json& item : list)
    samples.push_back({record::text_of_bytes(item.at(0)), record::text_of_bytes(item.at(1))});
  return samples;
}

void add_counts(std::map<std::string, std::uint64_t>& sum, const std::map<std::string, std::uint64_t>& more) {
  for (const auto& [name, count] : more) sum[name] += count;
}

void add_samples(std::vector<SkippedSample>& sum, std::vector<SkippedSample>&& more) {
  for (SkippedSample& sample : more)
    if (sum.size() < kNamedSamples) sum.push_back(std::move(sample));
}

}  // namespace

std::string to_bytes(const ShardSummary& summary) {
  const PackReport& report = summary.report;
  const PackedShard& shard = report.shards.at(0);
  const Json json = {
      {"schema", kSchema},
      {"range", {summary.range.first, summary.range.end}},
      {"shard", {{"records", shard.records}, {"bytes", shard.bytes}, {"crc32c", shard.crc32c}}},
      {"inputs", report.inputs},
      {"packed", report.packed},
      {"skipped_count", report.skipped_count},
      {"warned_count", report.warned_count},
      {"skipped", samples_json(report.skipped)},
      {"warned", samples_json(report.warned)},
      {"changed", report.changed},
      {"kept", report.kept},
      {"dropped_fields", report.dropped_fields},
      {"bytes_in", report.bytes_in},
      {"indexed", report.indexed},
      {"not_indexable", report.not_indexable},
      {"index_bytes", report.index_bytes},
      {"source",
       {{"samples", summary.source.samples},
        {"bytes", summary.source.bytes},
        {"crc32c", summary.source.crc32c},
        {"crc_bytes", summary.source_bytes}}}};
  const std::vector<std::uint8_t> packed = Json::to_cbor(json);
  return {packed.begin(), packed.end()};
}

Result<ShardSummary> summary_from_bytes(std::string_view text, const std::string& path) {
  using Counts = std::map<std::string, std::uint64_t>;
  try {
    const Json json = Json::from_cbor(text.begin(), text.end());
    if (json.at("schema") != kSchema) throw Json::other_error::create(501, "schema", nullptr);
    ShardSummary summary;
    summary.range = {json.at("range").at(0).get<std::uint64_t>(),
                     json.at("range").at(1).get<std::uint64_t>()};
    PackReport& report = summary.report;
    const Json& shard = json.at("shard");
    report.shards = {{.path = {},
                      .records = shard.at("records").get<std::uint64_t>(),
                      .bytes = shard.at("bytes").get<std::uint64_t>(),
                      .crc32c = shard.at("crc32c").get<std::uint32_t>()}};
    report.inputs = json.at("inputs").get<std::uint64_t>();
    report.packed = json.at("packed").get<std::uint64_t>();
    report.skipped_count = json.at("skipped_count").get<std::uint64_t>();
    report.warned_count = json.at("warned_count").get<std::uint64_t>();
    report.skipped = samples_of(json.at("skipped"));
    report.warned = samples_of(json.at("warned"));
    report.changed = json.at("changed").get<Counts>();
    report.kept = json.at("kept").get<Counts>();
    report.dropped_fields = json.at("dropped_fields").get<Counts>();
    report.bytes_in = json.at("bytes_in").get<std::uint64_t>();
    report.bytes_out = report.shards[0].bytes;
    report.indexed = json.at("indexed").get<std::uint64_t>();
    report.not_indexable = json.at("not_indexable").get<Counts>();
    report.index_bytes = json.at("index_bytes").get<std::uint64_t>();
    const Json& source = json.at("source");
    summary.source.samples = source.at("samples").get<std::uint64_t>();
    summary.source.bytes = source.at("bytes").get<std::uint64_t>();
    summary.source.crc32c = source.at("crc32c").get<std::uint32_t>();
    summary.source_bytes = source.at("crc_bytes").get<std::uint64_t>();
    return summary;
  } catch (const Json::exception&) {
    return fail(ErrorCode::corrupt_data, {.operation = "resume a pack",
                                          .object = path,
                                          .found = "no description of a finished shard",
                                          .next_step = "remove the file: its shard is made again"});
  }
}

void add_summary(ShardSummary& sum, ShardSummary&& next) {
  PackReport& report = sum.report;
  PackReport& more = next.report;
  sum.range = sum.source.samples == 0 && sum.range.size() == 0 ? next.range
                                                               : ShardRange{sum.range.first, next.range.end};
  sum.source.crc32c = crc32c_combine(sum.source.crc32c, next.source.crc32c, next.source_bytes);
  sum.source_bytes += next.source_bytes;
  sum.source.samples += next.source.samples;
  sum.source.bytes += next.source.bytes;
  report.inputs += more.inputs;
  report.packed += more.packed;
  report.skipped_count += more.skipped_count;
  report.warned_count += more.warned_count;
  add_samples(report.skipped, std::move(more.skipped));
  add_samples(report.warned, std::move(more.warned));
  add_counts(report.changed, more.changed);
  add_counts(report.kept, more.kept);
  add_counts(report.dropped_fields, more.dropped_fields);
  add_counts(report.not_indexable, more.not_indexable);
  report.bytes_in += more.bytes_in;
  report.bytes_out += more.bytes_out;
  report.indexed += more.indexed;
  report.index_bytes += more.index_bytes;
  report.shards.insert(report.shards.end(), std::make_move_iterator(more.shards.begin()),
                       std::make_move_iterator(more.shards.end()));
}

}  // namespace stoker::packing
