#include "bench/load_slices.hpp"

#include <chrono>
#include <thread>

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/spread.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench load";

double busy_s(const Loader& loader) {
  double nanoseconds = 0;
  for (const Stage stage : {Stage::read, Stage::decode, Stage::transform}) {
    nanoseconds += static_cast<double>(
        loader.counters().stages[static_cast<std::size_t>(stage)].busy_ns.load(std::memory_order_relaxed));
  }
  return nanoseconds * 1e-9;
}

// Whether an epoch ended; an empty handle is its end.
bool take_batch(Loader& loader, LoadSlice& slice) {
  const Batch batch = loader.next();
  if (!batch) return false;
  ++slice.batches;
  slice.images += static_cast<std::uint64_t>(batch.size());
  return true;
}

// Holds a batch until nothing moves any more: then every slot of the ring and the read-ahead were filled
// once. Else memory would grow later, whenever this thread happens to be late for the first time.
void let_it_fill(Loader& loader, const std::atomic<bool>* cancel) {
  constexpr int kQuietLooks = 5, kMostLooks = 1000;
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  const Batch held = loader.next();
  std::uint64_t before = 0;
  for (int look = 0, quiet = 0; look < kMostLooks && quiet < kQuietLooks; ++look) {
    check_cancel(kOperation, cancel);
    std::this_thread::sleep_for(kBetweenLooks);
    std::uint64_t moved = 0;
    for (const StageCounters& stage : loader.counters().stages) {
      moved += stage.items.load(std::memory_order_relaxed);
    }
    quiet = moved == before ? quiet + 1 : 0;
    before = moved;
  }
}

}  // namespace

LoadSlice run_load_slice(const std::shared_ptr<const RecordReader>& records, const LoaderOptions& options,
                         double seconds, const std::atomic<bool>* cancel) {
  release_free_memory();
  reset_peak_resident();
  Loader loader(records, options);
  LoadSlice slice;
  // The warm-up: to the end of an epoch, or for half of the time.
  bool at_epoch_end = false;
  for (const double start = wall_s(); !at_epoch_end && wall_s() - start < seconds / 2;) {
    check_cancel(kOperation, cancel);
    at_epoch_end = !take_batch(loader, slice);
  }
  slice = {};
  const bool whole_epochs = at_epoch_end;
  const double start = wall_s(), start_cpu = process_cpu_s(), start_busy = busy_s(loader);
  while (true) {
    check_cancel(kOperation, cancel);
    const bool ended = !take_batch(loader, slice);
    const double taken = wall_s() - start;
    if (taken < seconds || slice.images == 0) continue;
    if (!whole_epochs || ended || taken > 2 * seconds) break;
  }
  slice.wall_s = wall_s() - start;
  slice.cpu_s = process_cpu_s() - start_cpu;
  slice.busy_s = busy_s(loader) - start_busy;
  slice.threads = loader.threads();
  slice.bad_samples = loader.bad_sample_count();
  slice.decoded = loader.decode_counts();
  slice.peak_rss_mib = peak_resident_mib();
  return slice;
}

EpochMemory run_memory_epochs(const std::shared_ptr<const RecordReader>& records,
                              const LoaderOptions& options, int count,
                              const std::function<void(int)>& progress, const std::atomic<bool>* cancel) {
  release_free_memory();
  Loader loader(records, options);
  let_it_fill(loader, cancel);
  EpochMemory out;
  // The first one is the warm-up, in which buffers grow to the largest image. It lacks the batch that filled
  // the ring, and may be empty for that.
  for (int epoch = 0; epoch <= count; ++epoch) {
    if (progress) progress(epoch);
    reset_peak_resident();
    std::vector<double> resident;
    LoadSlice slice;
    for (bool at_end = false; !at_end;) {
      check_cancel(kOperation, cancel);
      at_end = !take_batch(loader, slice);
      if (!at_end) resident.push_back(resident_mib());
    }
    if (epoch == 0) continue;
    out.peak_mib.push_back(peak_resident_mib());
    out.median_mib.push_back(spread_of(std::move(resident)).median);
    out.images.push_back(slice.images);
  }
  return out;
}

}  // namespace stoker::bench
