#include "bench/turbo_slice.hpp"

#include <algorithm>

#include "stoker/error.hpp"

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/turbo_route.hpp"

namespace stoker::bench {

namespace {

constexpr const char* kOperation = "bench";

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

}  // namespace stoker::bench
