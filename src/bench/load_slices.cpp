#include "bench/load_slices.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/spread.hpp"
#include "bench/turbo_route.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench load";

// Gives freed memory back, so that one stretch's peak does not stand in the next one's figure.
void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

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

// One decode of sample `index`, its CPU time added to `cpu_s`; 0 images if it cannot be read or decoded.
std::uint64_t time_turbo(TurboDecoder& turbo, const RecordReader& records, std::size_t index, Sample& sample,
                         std::uint64_t max_pixels, double& cpu_s) {
  try {
    records.read(index, sample);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt_data && error.code() != ErrorCode::not_found) throw;
    return 0;
  }
  const double before = thread_cpu_s();
  if (!turbo.decode(sample.main(), max_pixels)) return 0;
  cpu_s += thread_cpu_s() - before;
  return 1;
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
  slice.peak_rss_mib = peak_resident_mib();
  return slice;
}

double run_turbo_slice(const RecordReader& records, double seconds, std::uint64_t max_pixels,
                       const std::atomic<bool>* cancel) {
  constexpr std::size_t kSamples = 1000;
  const std::size_t count = std::min(kSamples, records.size());
  double cpu_s = 0;
  std::uint64_t images = 0;
  {
    TurboDecoder turbo;
    Sample sample;
    const double start = wall_s();
    // Between rounds it ends once its time is over; within one only when that took twice the time.
    for (bool over = count == 0; !over;) {
      for (std::size_t i = 0; i < count && !over; ++i) {
        check_cancel(kOperation, cancel);
        images += time_turbo(turbo, records, i * records.size() / count, sample, max_pixels, cpu_s);
        over = wall_s() - start > 2 * seconds && images > 0;
      }
      over = over || images == 0 || wall_s() - start > seconds;
    }
  }
  release_free_memory();
  if (images == 0) {
    throw Error(ErrorCode::invalid_argument, {.operation = kOperation,
                                              .object = records.size() > 0 ? records.info(0).container : "",
                                              .found = "no sample that plain libjpeg-turbo decodes",
                                              .allowed = "at least one gray or colour JPEG"});
  }
  return static_cast<double>(images) / cpu_s;
}

MemoryStretches run_memory_stretches(const std::shared_ptr<const RecordReader>& records,
                                     const LoaderOptions& options, int count, double seconds,
                                     const std::atomic<bool>* cancel) {
  release_free_memory();
  Loader loader(records, options);
  MemoryStretches out;
  // The first one is the warm-up, in which buffers grow to the largest image.
  for (int stretch = 0; stretch <= count; ++stretch) {
    reset_peak_resident();
    std::vector<double> resident;
    LoadSlice slice;
    for (const double start = wall_s(); wall_s() - start < seconds || resident.empty();) {
      check_cancel(kOperation, cancel);
      if (!take_batch(loader, slice)) break;
      resident.push_back(resident_mib());
    }
    if (stretch == 0) continue;
    out.peak_mib.push_back(peak_resident_mib());
    out.median_mib.push_back(spread_of(std::move(resident)).median);
  }
  return out;
}

}  // namespace stoker::bench
