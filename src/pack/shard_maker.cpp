#include "pack/shard_maker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cpus.hpp"
#include "pack/clocks.hpp"
#include "pack/ordered_pipeline.hpp"
#include "pack/pack_source.hpp"
#include "pack/packed_sample.hpp"
#include "pack/shard_writer.hpp"
#include "pack/stop.hpp"

namespace stoker::packing {

namespace {

constexpr std::size_t kHeldBytes = std::size_t{256} << 20;  // of samples between reading and writing
constexpr auto kProgressEvery = std::chrono::milliseconds(100);

// What the workers and the delivering thread share in one run. Work is numbered through the samples of all
// shards that are to be made.
class Maker {
 public:
  Maker(const PackOptions& options, const Destination& to, const WorkFolder& work, const WorkPlan& plan,
        const RecordReader& source, const std::vector<std::size_t>& shards, std::shared_ptr<Store> store,
        PackProgress before, const PackProgressCallback& progress, const std::atomic<bool>* cancel)
      : options_(options),
        to_(to),
        work_(work),
        plan_(plan),
        source_(source),
        shards_(shards),
        store_(std::move(store)),
        root_(root_of_keys(options, source.format())),
        before_(before),
        progress_(progress),
        cancel_(cancel) {
    for (const std::size_t shard : shards_) {
      ends_.push_back(count_ += plan_.shards.range(shard).size());
    }
  }

  MakerResult run() {
    const auto wanted = static_cast<std::size_t>(threads_or_allowed(options_.threads));
    PipelineLimits limits;
    limits.threads = static_cast<int>(std::clamp<std::size_t>(count_, 1, wanted));
    limits.slots = static_cast<std::size_t>(limits.threads) * 4;
    limits.bytes = kHeldBytes;
    keep_bytes_ = kHeldBytes / limits.slots;
    for (int i = 0; i < limits.threads; ++i)
      tools_.push_back(std::make_unique<SampleTools>(options_, to_.format, cancel_));
    begin_shard();
    end_shards(0);
    OrderedPipeline<PackedSample> pipeline(
        count_, limits,
        {.work = [this](int thread, std::size_t number,
                        PackedSample& slot) { prepare(thread, number, slot); },
         .deliver = [this](std::size_t number, PackedSample& slot) { deliver(number, slot); },
         .tick = [this] { tick(); }});
    pipeline.run();
    stop_if(cancel_, options_.source);
    report_progress();
    return result_;
  }

 private:
  std::uint64_t sample_of(std::size_t number) const {
    const auto at = std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin();
    const std::uint64_t first = at == 0 ? 0 : ends_[static_cast<std::size_t>(at) - 1];
    return plan_.shards.range(shards_[static_cast<std::size_t>(at)]).first + (number - first);
  }

  void prepare(int thread, std::size_t number, PackedSample& slot) {
    stop_if(cancel_, options_.source);
    prepare_sample(source_, sample_of(number), root_, *tools_[static_cast<std::size_t>(thread)], slot);
  }

  void deliver(std::size_t number, PackedSample& slot) {
    stop_if(cancel_, options_.source);
    const bool was_bad = slot.fault.has_value();
    writer_->add(slot);
    ++done_;
    if (was_bad) ++skipped_;
    bytes_out_.store(finished_bytes_ + writer_->bytes(), std::memory_order_relaxed);
    slot.trim(keep_bytes_);
    end_shards(number + 1);
  }

  void begin_shard() {
    if (current_ == shards_.size()) return;
    writer_ = std::make_unique<ShardWriter>(options_, to_, work_, plan_.shards, shards_[current_],
                                            source_.classes(), store_);
  }

  // Finishes the shards, empty ones too, that end before sample `number`.
  void end_shards(std::uint64_t number) {
    while (current_ < shards_.size() && ends_[current_] == number) {
      const Stopwatch sync;
      writer_->finish();
      finished_bytes_ += writer_->bytes();
      writer_.reset();
      result_.sync_s += sync.wall_s();
      result_.sync_cpu_s += sync.cpu_s();
      ++current_;
      begin_shard();
    }
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
    progress_({.done = before_.done + done_.load(std::memory_order_relaxed),
               .total = before_.total,
               .skipped = before_.skipped + skipped_.load(std::memory_order_relaxed),
               .bytes_out = before_.bytes_out + bytes_out_.load(std::memory_order_relaxed)});
  }

  const PackOptions& options_;
  const Destination& to_;
  const WorkFolder& work_;
  const WorkPlan& plan_;
  const RecordReader& source_;
  const std::vector<std::size_t>& shards_;
  const std::shared_ptr<Store> store_;
  const std::string root_;
  const PackProgress before_;
  const PackProgressCallback& progress_;
  const std::atomic<bool>* const cancel_;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> ends_;                  // of each shard, as numbers
  std::vector<std::unique_ptr<SampleTools>> tools_;  // one a thread
  std::size_t keep_bytes_ = 0;
  // The delivering thread's:
  std::size_t current_ = 0;
  std::unique_ptr<ShardWriter> writer_;
  std::uint64_t finished_bytes_ = 0;
  MakerResult result_;
  std::atomic<std::uint64_t> done_{0}, skipped_{0}, bytes_out_{0};
  std::chrono::steady_clock::time_point last_progress_ =
      std::chrono::steady_clock::now();  // the calling thread's
};

}  // namespace

MakerResult make_shards(const PackOptions& options, const Destination& to, const WorkFolder& work,
                        const WorkPlan& plan, const RecordReader& source,
                        const std::vector<std::size_t>& shards, std::shared_ptr<Store> store,
                        PackProgress before, const PackProgressCallback& progress,
                        const std::atomic<bool>* cancel) {
  return Maker(options, to, work, plan, source, shards, std::move(store), before, progress, cancel).run();
}

}  // namespace stoker::packing
