#include "pack/verify_source.hpp"

#include <algorithm>
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
#include "pack/set_list.hpp"
#include "record/manifest_finder.hpp"
#include "record/source_paths.hpp"

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

// A raw record may hold anything; it counts as an image where its first bytes say so.
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

void count(Checked& record, VerifyReport& report) {
  if (record.step == RecordScanner::Step::damage) {
    report.bad.push_back(std::move(record.bad));
    return;
  }
  ++report.records;
  if (record.failure) {
    report.bad.push_back({record.info.container, record.info.offset, record.sample.key, *record.failure});
  } else if (!record.warning.empty()) {
    if (report.warned++ == 0) report.first_warning = record.sample.key + ": " + record.warning;
  } else {
    ++report.ok;
  }
}

// The largest label of samples that have one alone.
struct LargestLabel {
  float label = -1;
  std::string key;

  void add(const Sample& sample) {
    if (sample.labels.size() != 1 || !(sample.labels.front() > label)) return;
    label = sample.labels.front();
    key = sample.key;
  }
};

// check_indexes holds bytes and CRC of a container against its manifest; records and labels are known only
// here.
void check_manifest_records(const std::shared_ptr<const record::PlacedManifest>& placed,
                            const std::string& container, const LargestLabel& largest, VerifyReport& report) {
  const record::ManifestShard* shard = placed ? placed->shard_at(container) : nullptr;
  if (!shard) return;
  if (shard->records != report.records)
    report.bad.push_back(
        {placed->path(), 0, "",
         fmt::format("'{}' holds {} records, not {}", shard->path, report.records, shard->records)});
  const std::size_t classes = placed->manifest().classes.size();
  if (classes > 0 && largest.label >= static_cast<float>(classes))
    report.bad.push_back({placed->path(), 0, largest.key,
                          fmt::format("'{}' has a record of label {}, and the names of {} classes, from 0, "
                                      "are told",
                                      shard->path, largest.label, classes)});
}

class Verifier {
 public:
  Verifier(const VerifyOptions& options, const VerifyProgressCallback& progress,
           const std::atomic<bool>& cancel)
      : options_(options),
        progress_(progress),
        cancel_(cancel),
        store_(options.open.store ? options.open.store : open_store(options.source)),
        paths_(record::find_source_paths(*store_, options.source)),
        list_path_(list_of_set(*store_, paths_.files)),
        list_(list_path_ && store_->info(*list_path_) ? ListCheck::open(*store_, *list_path_) : nullptr) {
    spec_.max_pixels = options.max_pixels;
  }

  VerifyReport run() {
    VerifyReport report = paths_.kind == record::SourcePaths::Kind::shards ? verify_shards() : verify_one();
    stop_if_cancelled();
    if (list_path_ && !list_)
      report.bad.push_back(
          {*list_path_, 0, "", "the data set's description names this list, and it is missing"});
    if (!list_) return report;
    for (BadRecord& bad : list_->finish()) report.bad.push_back(std::move(bad));
    return report;
  }

 private:
  // A shard on its way. What the list is held against is kept until its turn has come.
  struct Shard {
    std::string path;
    VerifyReport report;
    std::vector<std::optional<ListedRecord>> listed;  // none: damage
    std::size_t bytes() const { return 0; }
  };

  void stop_if_cancelled() const {
    if (cancel_.load(std::memory_order_relaxed))
      throw Error(ErrorCode::cancelled, {.operation = "verify", .object = options_.source});
  }

  // That of the set, which was read already, or the one that lies by the container.
  std::shared_ptr<const record::PlacedManifest> manifest_of(const std::string& container) const {
    return paths_.manifest ? paths_.manifest : record::ManifestFinder(*store_).find(container);
  }

  void hold_against_list(const std::optional<ListedRecord>& record) {
    if (!list_) return;
    if (record)
      list_->add(*record);
    else
      list_->stop();
  }

  std::optional<ListedRecord> listed(const Checked& record) const {
    if (record.step == RecordScanner::Step::damage) return std::nullopt;
    return ListedRecord{record.sample.key, record.sample.labels};
  }

  // One file, a folder: read by one thread, decoded by many.
  VerifyReport verify_one() {
    VerifyReport report;
    LargestLabel largest;
    const std::unique_ptr<RecordScanner> scanner = scan_records(options_.source, options_.open);
    const int threads = options_.decode ? threads_or_allowed(options_.threads) : 1;
    std::vector<image::Decoder> decoders(static_cast<std::size_t>(threads));
    process_in_order<Checked>(
        threads, [&](Checked& record) { return read(*scanner, record); },
        [&](int thread, Checked& record) {
          if (options_.decode && !cancel_.load(std::memory_order_relaxed))
            decode(decoders[static_cast<std::size_t>(thread)], spec_, record);
        },
        [&](Checked& record) {
          if (list_) hold_against_list(listed(record));
          if (record.step == RecordScanner::Step::record) largest.add(record.sample);
          count(record, report);
          progress_(report.records);
        });
    stop_if_cancelled();
    for (BadRecord& bad : check_indexes(options_.source, options_.open)) report.bad.push_back(std::move(bad));
    if (report.bad.empty() && paths_.kind == record::SourcePaths::Kind::file)
      check_manifest_records(manifest_of(paths_.files.front()), paths_.files.front(), largest, report);
    return report;
  }

  // Shards side by side, each by one thread to its end.
  VerifyReport verify_shards() {
    VerifyReport report;
    const int threads = threads_or_allowed(options_.threads);
    std::vector<image::Decoder> decoders(static_cast<std::size_t>(threads));
    std::size_t next = 0;
    process_in_order<Shard>(
        threads,
        [&](Shard& shard) {
          stop_if_cancelled();
          if (next == paths_.files.size()) return false;
          shard = {.path = paths_.files[next++]};
          return true;
        },
        [&](int thread, Shard& shard) { verify(decoders[static_cast<std::size_t>(thread)], shard); },
        [&](Shard& shard) {
          for (const auto& record : shard.listed) hold_against_list(record);
          add(std::move(shard.report), report);
          progress_(report.records);
        },
        {.items = static_cast<std::size_t>(threads) * 2});
    return report;
  }

  bool read(RecordScanner& scanner, Checked& record) {
    stop_if_cancelled();
    record.failure.reset();
    record.warning.clear();
    record.step = scanner.next(record.sample, record.info, record.bad);
    return record.step != RecordScanner::Step::end;
  }

  void verify(image::Decoder& decoder, Shard& shard) {
    Checked record;
    LargestLabel largest;
    try {
      const std::unique_ptr<RecordScanner> scanner = scan_records(shard.path, options_.open);
      while (read(*scanner, record)) {
        if (options_.decode) decode(decoder, spec_, record);
        if (list_) shard.listed.push_back(listed(record));
        if (record.step == RecordScanner::Step::record) largest.add(record.sample);
        count(record, shard.report);
      }
      for (BadRecord& bad : check_indexes(shard.path, options_.open))
        shard.report.bad.push_back(std::move(bad));
      if (shard.report.bad.empty())
        check_manifest_records(manifest_of(shard.path), shard.path, largest, shard.report);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled || error.code() == ErrorCode::out_of_resources) throw;
      shard.report.bad.push_back({shard.path, 0, "", error.what()});
      shard.listed.emplace_back();
    }
  }

  static void add(VerifyReport&& shard, VerifyReport& sum) {
    sum.records += shard.records;
    sum.ok += shard.ok;
    sum.warned += shard.warned;
    if (sum.first_warning.empty()) sum.first_warning = std::move(shard.first_warning);
    sum.bad.insert(sum.bad.end(), std::make_move_iterator(shard.bad.begin()),
                   std::make_move_iterator(shard.bad.end()));
  }

  const VerifyOptions& options_;
  const VerifyProgressCallback& progress_;
  const std::atomic<bool>& cancel_;
  const std::shared_ptr<Store> store_;
  const record::SourcePaths paths_;
  const std::optional<std::string> list_path_;  // that the set's description names
  const std::unique_ptr<ListCheck> list_;       // none where it is missing
  DecodeSpec spec_;
};

}  // namespace

VerifyReport verify_source(const VerifyOptions& options, const VerifyProgressCallback& progress,
                           const std::atomic<bool>& cancel) {
  return Verifier(options, progress, cancel).run();
}

}  // namespace stoker::packing
