#include "pack/shard_writer.hpp"

#include "pack/duplicates.hpp"
#include "record/seek_index_place.hpp"

namespace stoker::packing {

ShardWriter::ShardWriter(const PackOptions& options, const Destination& to, const WorkFolder& work,
                         const ShardPlan& plan, std::size_t shard, const std::vector<std::string>& classes,
                         std::shared_ptr<Store> store)
    : summary_path_(work.summary_path(plan, shard)),
      skipped_path_(work.skipped_path(plan, shard)),
      classes_(classes),
      store_(std::move(store)),
      tally_(options, plan.range(shard)),
      writer_(open_record_writer(work.shard_path(plan, shard), store_, to.format)) {
  const std::string path = work.shard_path(plan, shard);
  if (options.seek_index)
    index_ = std::make_unique<ShardIndex>(store_, path, record::seek_index_path(path, to.format));
  if (!to.list.empty()) list_ = std::make_unique<LineFile>(*store_, work.list_path(plan, shard));
  checksums_ = std::make_unique<LineFile>(*store_, work.checksums_path(plan, shard));
}

void ShardWriter::add(PackedSample& sample) {
  if (!tally_.add(sample)) {
    if (!skipped_) skipped_ = std::make_unique<LineFile>(*store_, skipped_path_);
    skipped_->add(skipped_line(sample.key, sample.fault->what()));
    return;
  }
  writer_->add({.key = sample.key,
                .labels = sample.labels,
                .fields = sample.fields,
                .main_field = sample.main_field,
                .id = sample.id,
                .image = sample.image ? &*sample.image : nullptr,
                .class_name = class_name(sample.sample.labels, classes_)});
  if (sample.seek && index_) {
    sample.seek->offset = writer_->main_offset();
    index_->add(*sample.seek, sample.seek_points);
  }
  if (list_) list_->add(list_line(sample.id, sample.labels, sample.key));
  line_.clear();
  append_checksum({.crc32c = sample.crc32c,
                   .bytes = static_cast<std::uint32_t>(sample.payload.size()),
                   .sample = sample.index},
                  line_);
  checksums_->add(line_);
}

void ShardWriter::finish() {
  writer_->prepare();
  ShardSummary& summary = tally_.summary();
  if (index_) {
    index_->prepare(writer_->fingerprint());
    summary.report.index_bytes = index_->bytes();
  }
  summary.report.bytes_out = writer_->bytes();
  summary.report.shards = {
      {.path = {}, .records = writer_->records(), .bytes = writer_->bytes(), .crc32c = writer_->crc32c()}};
  if (list_) list_->commit();
  if (skipped_) skipped_->commit();
  checksums_->commit();
  if (index_) index_->commit();
  writer_->finish();
  LineFile seal(*store_, summary_path_);
  seal.add(to_bytes(summary));
  seal.commit();
}

}  // namespace stoker::packing
