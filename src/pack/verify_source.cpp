#include "pack/verify_source.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "stoker/error.hpp"
#include "stoker/store.hpp"

#include "array/npy.hpp"
#include "base/cpus.hpp"
#include "base/in_order.hpp"
#include "image/decoder.hpp"
#include "image/sniff.hpp"
#include "pack/list_check.hpp"
#include "record/dataset_manifest.hpp"

namespace stoker::packing {

namespace {

struct Checked {
  RecordScanner::Step step = RecordScanner::Step::end;
  Sample sample;
  RecordInfo info;
  BadRecord bad;
  std::optional<std::string> failure;  // of the decoder
  std::string warning;

  std::size_t bytes() const { return sample.buffer.size(); }
};

// A raw record may hold anything; it counts as an image where its first bytes say so. An array is none, whatever
// name its container gives it.
bool is_image(const Sample& sample) {
  if (array::is_npy(sample.main())) return false;
  return sample.fields[sample.main_field].name == "image" ||
         image::sniff(sample.main()) != ImageKind::unknown;
}

void decode(image::Decoder& decoder, const DecodeSpec& spec, Checked& record) {
  if (record.step != RecordScanner::Step::record || !is_image(record.sample)) return;
  const Result<image::Decoded> decoded = decoder.decode(record.sample.main(), spec);
  if (!decoded) {
    record.failure = decoded.error().what();
  } else {
    record.warning = decoded->warning;
  }
}

void count(Checked& record, ListCheck* list, VerifyReport& report) {
  if (record.step == RecordScanner::Step::damage) {
    if (list) list->stop();
    report.bad.push_back(std::move(record.bad));
    return;
  }
  ++report.records;
  if (list) list->add(record.sample);
  if (record.failure) {
    report.bad.push_back({record.info.container, record.info.offset, record.sample.key, *record.failure});
  } else if (!record.warning.empty()) {
    if (report.warned++ == 0) report.first_warning = record.sample.key + ": " + record.warning;
  } else {
    ++report.ok;
  }
}

// check_indexes holds bytes and CRC of the container against its manifest; the number of records is known
// only here.
void check_manifest_records(Store& store, const std::string& source, VerifyReport& report) {
  const auto info = store.info(source);
  if (!info || info->is_folder) return;
  const auto manifest = record::read_manifest(store, source);
  if (!manifest) return;
  const std::string name = source.substr(source.rfind('/') + 1);
  for (const record::ManifestShard& shard : manifest->shards) {
    if (shard.path == name && shard.records != report.records) {
      report.bad.push_back(
          {record::manifest_path(source), 0, "",
           fmt::format("'{}' holds {} records, not {}", name, report.records, shard.records)});
    }
  }
}

}  // namespace

VerifyReport verify_source(const VerifyOptions& options, const VerifyProgressCallback& progress,
                           const std::atomic<bool>& cancel) {
  const auto stop_if_cancelled = [&] {
    if (cancel.load(std::memory_order_relaxed))
      throw Error(ErrorCode::cancelled, {.operation = "verify", .object = options.source});
  };
  VerifyReport report;
  const std::unique_ptr<RecordScanner> scanner = scan_records(options.source, options.open);
  const auto store = options.open.store ? options.open.store : open_store(options.source);
  const std::unique_ptr<ListCheck> list = ListCheck::open(*store, options.source);
  const int threads = options.decode ? threads_or_allowed(options.threads) : 1;
  std::vector<image::Decoder> decoders(static_cast<std::size_t>(threads));
  DecodeSpec spec;
  spec.max_pixels = options.max_pixels;
  process_in_order<Checked>(
      threads,
      [&](Checked& record) {
        stop_if_cancelled();
        record.failure.reset();
        record.warning.clear();
        record.step = scanner->next(record.sample, record.info, record.bad);
        return record.step != RecordScanner::Step::end;
      },
      [&](int thread, Checked& record) {
        if (options.decode && !cancel.load(std::memory_order_relaxed))
          decode(decoders[static_cast<std::size_t>(thread)], spec, record);
      },
      [&](Checked& record) {
        count(record, list.get(), report);
        progress(report.records);
      });
  stop_if_cancelled();
  for (BadRecord& bad : check_indexes(options.source, options.open)) report.bad.push_back(std::move(bad));
  if (report.bad.empty()) check_manifest_records(*store, options.source, report);
  if (!list) return report;
  for (BadRecord& bad : list->finish()) report.bad.push_back(std::move(bad));
  return report;
}

}  // namespace stoker::packing
