#include "pack/packer.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "stoker/record.hpp"

#include "base/cpus.hpp"
#include "pack/class_names.hpp"
#include "pack/clocks.hpp"
#include "pack/destination.hpp"
#include "pack/manifest.hpp"
#include "pack/ordered_pipeline.hpp"
#include "pack/packed_sample.hpp"
#include "pack/shard_index.hpp"
#include "pack/tally.hpp"
#include "pack/text_files.hpp"
#include "store/file_lock.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kHeldBytes = std::size_t{256} << 20;  // of samples between reading and writing
constexpr auto kProgressEvery = std::chrono::milliseconds(100);

void stop_if(const std::atomic<bool>* cancel, const std::string& object) {
  if (!cancel || !cancel->load(std::memory_order_relaxed)) return;
  throw Error(ErrorCode::cancelled, {.operation = "pack",
                                     .object = object,
                                     .found = "stopped on request",
                                     .next_step = "nothing was written under the final names"});
}

// All that can be refused without opening the source comes before it is walked.
Destination checked(const PackOptions& options) {
  Destination to = check_options(options);
  if (options.open.classes_file.empty()) check_class_folders(options);
  return to;
}

// What the workers and the delivering thread share in one run.
class Packer {
 public:
  Packer(const PackOptions& options, const std::shared_ptr<Store>& store,
         const PackProgressCallback& progress, const std::atomic<bool>* cancel)
      : options_(options),
        to_(checked(options)),
        store_(store ? store : open_store(to_.shard)),
        progress_(progress),
        cancel_(cancel),
        source_(open_pack_source(options)),
        root_(root_of_keys(options, source_->format())),
        writer_(open_record_writer(to_.shard, store_)),
        tally_(options) {
    if (options.seek_index) index_ = std::make_unique<ShardIndex>(store_, to_.shard, to_.seek);
    if (!to_.list.empty()) list_ = std::make_unique<LineFile>(*store_, to_.list);
  }

  PackReport run() {
    const std::size_t count = source_->size();
    const auto wanted = static_cast<std::size_t>(threads_or_allowed(options_.threads));
    PipelineLimits limits;
    limits.threads = static_cast<int>(std::clamp<std::size_t>(count, 1, wanted));
    limits.slots = static_cast<std::size_t>(limits.threads) * 4;
    limits.bytes = kHeldBytes;
    keep_bytes_ = kHeldBytes / limits.slots;
    for (int i = 0; i < limits.threads; ++i) tools_.push_back(std::make_unique<SampleTools>(options_));
    OrderedPipeline<PackedSample> pipeline(
        count, limits,
        {.work = [this](int thread, std::size_t index, PackedSample& slot) { prepare(thread, index, slot); },
         .deliver = [this](std::size_t, PackedSample& slot) { deliver(slot); },
         .tick = [this] { tick(); }});
    pipeline.run();
    stop_if(cancel_, options_.source);
    report_progress();
    return finish();
  }

 private:
  void prepare(int thread, std::size_t index, PackedSample& slot) {
    stop_if(cancel_, options_.source);
    prepare_sample(*source_, index, root_, *tools_[static_cast<std::size_t>(thread)], slot);
  }

  void deliver(PackedSample& slot) {
    stop_if(cancel_, options_.source);
    if (tally_.add(slot)) {
      const std::uint64_t id = slot.id.value_or(writer_->records());
      const Field field{"image", slot.payload};
      writer_->append(slot.key, slot.sample.labels, field, id);
      if (slot.seek && index_) {
        slot.seek->offset = writer_->main_offset();
        index_->add(*slot.seek, slot.seek_points);
      }
      if (list_) list_->add(list_line(id, slot.sample.labels, slot.key));
    }
    done_.store(tally_.report().inputs, std::memory_order_relaxed);
    skipped_.store(tally_.report().skipped_count, std::memory_order_relaxed);
    bytes_out_.store(writer_->bytes(), std::memory_order_relaxed);
    slot.trim(keep_bytes_);
  }

  void tick() {
    stop_if(cancel_, options_.source);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ < kProgressEvery) return;
    last_progress_ = now;
    report_progress();
  }

  void report_progress() {
    if (!progress_) return;
    progress_({.done = done_.load(std::memory_order_relaxed),
               .total = source_->size(),
               .skipped = skipped_.load(std::memory_order_relaxed),
               .bytes_out = bytes_out_.load(std::memory_order_relaxed)});
  }

  PackReport finish() {
    PackReport& report = tally_.report();
    report.classes = source_->classes();
    report.passed_over = hidden_folders(options_);
    report.bytes_out = writer_->bytes();
    report.too_many_bad = tally_.too_many_bad();
    if (!report.too_many_bad) commit(report);
    report.wall_s = watch_.wall_s();
    report.cpu_s = watch_.cpu_s();
    report.images_per_s = report.wall_s > 0 ? static_cast<double>(report.packed) / report.wall_s : 0;
    return std::move(report);
  }

  // Everything is durable under temporary names before anything of an older pack is touched. Then
  // NAME.dataset.json, which seals the rest, goes first and comes back last.
  void commit(PackReport& report) {
    const Stopwatch sync;
    writer_->prepare();
    if (index_) {
      index_->prepare(writer_->fingerprint());
      report.index_bytes = index_->bytes();
    }
    if (list_) list_->sync();
    std::unique_ptr<LineFile> skipped;
    if (!report.skipped.empty()) {
      skipped = std::make_unique<LineFile>(*store_, to_.skipped);
      skipped->add(skipped_text(report.skipped));
      skipped->sync();
    }
    report.bytes_out = writer_->bytes();
    report.shards = {{to_.shard, writer_->records(), writer_->bytes(), writer_->crc32c()}};
    auto manifest = make_manifest(options_, report, tally_.fingerprint());
    if (list_) manifest.list = std::filesystem::path(to_.list).filename().string();
    const auto seal = record::prepare_manifest(*store_, to_.manifest, manifest);
    seal->sync();
    stop_if(cancel_, options_.source);
    const store::FileLock no_learner(to_.seek);  // publishes an index of the old shard from here on

    store_->remove(to_.manifest);
    if (list_) list_->commit();
    if (skipped)
      skipped->commit();
    else
      store_->remove(to_.skipped);
    // At no moment does an index lie beside a shard that it is not of.
    store_->remove(to_.seek);
    writer_->finish();
    if (index_) index_->commit();
    seal->commit();
    report.sync_s = sync.wall_s();
    report.sync_cpu_s = sync.cpu_s();
  }

  const Stopwatch watch_;
  const PackOptions& options_;
  const Destination to_;
  const std::shared_ptr<Store> store_;
  const PackProgressCallback& progress_;
  const std::atomic<bool>* cancel_;
  const std::unique_ptr<RecordReader> source_;
  const std::string root_;
  const std::unique_ptr<RecordWriter> writer_;
  std::unique_ptr<ShardIndex> index_;  // none: not asked for
  std::unique_ptr<LineFile> list_;
  std::vector<std::unique_ptr<SampleTools>> tools_;  // one a thread
  Tally tally_;                                      // the delivering thread's
  std::size_t keep_bytes_ = 0;
  std::atomic<std::uint64_t> done_{0}, skipped_{0}, bytes_out_{0};
  std::chrono::steady_clock::time_point last_progress_ =
      std::chrono::steady_clock::now();  // the calling thread's
};

}  // namespace

PackReport run_pack(const PackOptions& options, std::shared_ptr<Store> destination_store,
                    const PackProgressCallback& progress, const std::atomic<bool>* cancel) {
  return Packer(options, destination_store, progress, cancel).run();
}

}  // namespace stoker::packing

namespace stoker {

PackReport pack(const PackOptions& options, const PackProgressCallback& progress,
                const std::atomic<bool>* cancel) {
  return packing::run_pack(options, nullptr, progress, cancel);
}

}  // namespace stoker
