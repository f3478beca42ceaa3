// The door of stoker/index.hpp: threads that take the next record, walk it, and hand its points to the index.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>

#include "stoker/error.hpp"
#include "stoker/index.hpp"

#include "base/cpus.hpp"
#include "base/mutex.hpp"
#include "base/thread_group.hpp"
#include "jpeg/seek_points.hpp"
#include "pack/clocks.hpp"
#include "pack/point_finder.hpp"
#include "record/make_record_indexes.hpp"
#include "record/seek_index_writer.hpp"

namespace stoker {

namespace packing {

namespace {

constexpr std::chrono::milliseconds kTick{100};
const std::string kUnreadable = "unreadable record";

class Indexer {
 public:
  Indexer(const IndexOptions& options, const IndexProgressCallback& progress, const std::atomic<bool>* cancel)
      : options_(options),
        progress_(progress),
        cancel_(cancel),
        records_(open(options)),
        writer_(records_, options.open.index_dir, options.open.store) {}

  IndexReport run() {
    const Stopwatch watch;
    {
      ThreadGroup threads([this] { stopped_ = true; });
      try {
        for (int i = 1; i < threads_or_allowed(options_.threads); ++i)
          threads.start("index", [this] { work(false); });
        work(true);
      } catch (...) {
        stopped_ = true;
        threads.join();
        throw;
      }
      threads.join_and_rethrow();
    }
    const bool stopped_early = is_cancelled();
    if (progress_ && !stopped_early) progress_({.done = records_->size(), .total = records_->size()});
    const record::SeekIndexPublished published = writer_.publish();
    if (stopped_early)
      throw Error(ErrorCode::cancelled,
                  {.operation = "index",
                   .object = options_.source,
                   .found = fmt::format("stopped on request; {} of {} images have points", published.indexed,
                                        records_->size()),
                   .next_step = "the next run takes these over"});
    const MutexLock lock(mutex_);
    report_.records = records_->size();
    report_.index_bytes = published.bytes;
    report_.index_path = published.path;
    report_.index_files = published.files;
    report_.wall_s = watch.wall_s();
    report_.cpu_s = watch.cpu_s();
    report_.images_per_s = static_cast<double>(report_.records) / std::max(report_.wall_s, 1e-9);
    return report_;
  }

 private:
  static std::shared_ptr<const RecordReader> open(const IndexOptions& options) {
    record::make_record_indexes(options.source, options.open);
    return open_records(options.source, with_checked_points(options.open));
  }

  // Points that an earlier run published are taken over, once their image's CRC-32C was compared.
  static OpenOptions with_checked_points(OpenOptions open) {
    if (open.check_bytes == CheckBytes::never) open.check_bytes = CheckBytes::first;
    return open;
  }

  bool is_cancelled() const { return cancel_ && cancel_->load(std::memory_order_relaxed); }

  void work(bool is_caller) {
    PointFinder finder(options_.interval);
    Sample sample;
    IndexReport mine;
    std::chrono::steady_clock::time_point told;  // so that the first record is told of
    while (!stopped_ && !is_cancelled()) {
      const std::size_t record = next_.fetch_add(1);
      if (record >= records_->size()) break;
      index(record, finder, sample, mine);
      if (!is_caller || !progress_ || std::chrono::steady_clock::now() - told < kTick) continue;
      told = std::chrono::steady_clock::now();
      progress_({.done = std::min<std::uint64_t>(next_, records_->size()), .total = records_->size()});
    }
    const MutexLock lock(mutex_);
    report_.indexed += mine.indexed;
    report_.bytes += mine.bytes;
    for (const auto& [reason, images] : mine.not_indexable) report_.not_indexable[reason] += images;
  }

  void index(std::size_t record, PointFinder& finder, Sample& sample, IndexReport& report) {
    try {
      records_->read(record, sample);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt_data && error.code() != ErrorCode::not_found) throw;
      ++report.not_indexable[kUnreadable];
      return;
    }
    report.bytes += sample.main().size();
    const auto reason = finder.find(sample.main(), sample.seek_points);
    record::SeekEntry entry = record::describe_image(*records_, record, sample);
    if (reason) {
      entry.reason = static_cast<std::uint8_t>(*reason);
      ++report.not_indexable[std::string(to_string(*reason))];
      writer_.add(record, entry, {});
      return;
    }
    entry.points = finder.points();
    ++report.indexed;
    writer_.add(record, entry, finder.packed());
  }

  const IndexOptions& options_;
  const IndexProgressCallback& progress_;
  const std::atomic<bool>* const cancel_;
  const std::shared_ptr<const RecordReader> records_;
  record::SeekIndexWriter writer_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  Mutex mutex_;
  IndexReport report_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace

}  // namespace packing

IndexReport build_seek_index(const IndexOptions& options, const IndexProgressCallback& progress,
                             const std::atomic<bool>* cancel) {
  if (options.interval < 0 || options.interval > jpeg::kLargestUsedInterval)
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = "index",
         .object = "interval",
         .found = std::to_string(options.interval),
         .allowed = fmt::format("1 to {}, or 0 for what suits each picture", jpeg::kLargestUsedInterval)});
  return packing::Indexer(options, progress, cancel).run();
}

}  // namespace stoker
