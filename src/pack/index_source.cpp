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
#include "jpeg/baseline_decoder.hpp"
#include "jpeg/seek_reason.hpp"
#include "pack/clocks.hpp"
#include "record/seek_index_writer.hpp"

namespace stoker {

namespace packing {

namespace {

constexpr int kLargestInterval = 0xFFFF;
constexpr std::chrono::milliseconds kTick{100};
const std::string kUnreadable = "unreadable record";

bool is_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 3 && bytes[0] == std::byte{0xFF} && bytes[1] == std::byte{0xD8} &&
         bytes[2] == std::byte{0xFF};
}

// Finds the points of one image after another. Threads: one at a time; memory is kept.
class PointFinder {
 public:
  explicit PointFinder(int interval) : interval_(interval) {}

  // packed() holds the points then; or why there are none.
  std::optional<jpeg::SeekReason> find(std::span<const std::byte> image) {
    packed_.clear();
    points_.clear();
    if (!is_jpeg(image)) return jpeg::SeekReason::no_jpeg;
    if (const auto reason = decoder_.open(image)) return jpeg::seek_reason(*reason);
    if (decoder_.has_own_entrances()) return jpeg::SeekReason::restart_markers;
    const bool halved = jpeg::default_interval(decoder_.frame().blocks_per_mcu) < jpeg::default_interval(3);
    const int interval = halved ? std::max(interval_ / 2, 1) : interval_;
    if (const auto reason = decoder_.find_seek_points(interval, points_)) return jpeg::seek_reason(*reason);
    jpeg::pack_seek_points(points_, packed_);
    if (packed_.empty() || packed_.size() > image.size()) return jpeg::SeekReason::not_said;
    return std::nullopt;
  }

  std::span<const std::byte> packed() const { return packed_; }
  std::uint32_t points() const { return static_cast<std::uint32_t>(points_.points.size()); }

 private:
  const int interval_;
  jpeg::BaselineDecoder decoder_;
  jpeg::SeekPoints points_;
  std::vector<std::byte> packed_;
};

class Indexer {
 public:
  Indexer(const IndexOptions& options, const IndexProgressCallback& progress, const std::atomic<bool>* cancel)
      : options_(options),
        progress_(progress),
        cancel_(cancel),
        records_(open_records(options.source, without_seek_index(options.open))),
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
    stop_if_cancelled();
    if (progress_) progress_({.done = records_->size(), .total = records_->size()});
    const record::SeekIndexPublished published = writer_.publish();
    const MutexLock lock(mutex_);
    report_.records = records_->size();
    report_.index_bytes = published.bytes;
    report_.index_path = published.path;
    report_.wall_s = watch.wall_s();
    report_.cpu_s = watch.cpu_s();
    report_.images_per_s = static_cast<double>(report_.records) / std::max(report_.wall_s, 1e-9);
    return report_;
  }

 private:
  static OpenOptions without_seek_index(OpenOptions open) {
    open.seek_index = SeekIndexUse::off;
    return open;
  }

  void stop_if_cancelled() const {
    if (cancel_ && cancel_->load(std::memory_order_relaxed))
      throw Error(ErrorCode::cancelled, {.operation = "index", .object = options_.source});
  }

  void work(bool is_caller) {
    PointFinder finder(options_.interval);
    Sample sample;
    IndexReport mine;
    auto told = std::chrono::steady_clock::now();
    while (!stopped_) {
      stop_if_cancelled();
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
    const auto reason = finder.find(sample.main());
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
  if (options.interval < 1 || options.interval > packing::kLargestInterval)
    throw Error(ErrorCode::invalid_argument, {.operation = "index",
                                              .object = "interval",
                                              .found = std::to_string(options.interval),
                                              .allowed = fmt::format("1 to {}", packing::kLargestInterval)});
  return packing::Indexer(options, progress, cancel).run();
}

}  // namespace stoker
