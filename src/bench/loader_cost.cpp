#include "bench/loader_cost.hpp"

#include <algorithm>
#include <memory>

#include "stoker/loader.hpp"

#include "bench/bench_checks.hpp"
#include "bench/cpu_clock.hpp"
#include "bench/memory_reader.hpp"
#include "image/transform.hpp"

namespace stoker::bench {

namespace {

// Small enough that a microsecond shows beside the work; big enough that workers, as with photos, are what
// everything else waits for.
constexpr int kSide = 32;
constexpr const char* kRecipe = "random_resized_crop(16) flip(0.5) normalize(imagenet)";
constexpr int kSmallBatch = 16, kLargeBatch = 128;
constexpr std::size_t kImages = 4096;  // of an epoch, and of one turn

LoaderOptions options_of(int batch_size, int threads) {
  LoaderOptions options;
  options.recipe = kRecipe;
  options.batch_size = batch_size;
  options.threads = threads;
  options.publish_counters = false;
  return options;
}

// CPU seconds an image of one epoch through the loader; the epoch before it is the warm-up.
double loader_cpu_s(const std::shared_ptr<const MemoryReader>& records, int batch_size, int threads) {
  Loader loader(records, options_of(batch_size, threads));
  while (loader.next()) {
  }
  const double start = process_cpu_s();
  while (loader.next()) {
  }
  return (process_cpu_s() - start) / static_cast<double>(kImages);
}

// The same reads and transforms in a loop, the tensors written where the loader's batches would be.
double plain_cpu_s(const MemoryReader& records) {
  const image::Transform transform(Recipe::parse(kRecipe));
  const std::size_t stride = transform.recipe().bytes_per_sample();
  std::vector<std::byte> batch(stride * kLargeBatch);
  image::Decoder decoder;
  Sample sample;
  double start = 0;
  for (const std::uint64_t epoch : {0, 1}) {
    start = process_cpu_s();
    for (std::size_t i = 0; i < kImages; ++i) {
      records.read(i, sample);
      value_or_throw(transform.run(decoder, sample.main(), {0, epoch, i}, kDefaultMaxPixels,
                                   batch.data() + stride * (i % kLargeBatch)));
    }
  }
  return (process_cpu_s() - start) / static_cast<double>(kImages);
}

}  // namespace

LoaderCost measure_loader_cost(int rounds, int turns, const std::atomic<bool>* cancel) {
  const auto records = std::make_shared<const MemoryReader>(make_tiny_jpeg(kSide), kImages);
  constexpr int kThreads =
      1;  // one worker with its readers and the consumer: no waiting for a CPU on two of them
  std::vector<double> per_image, per_batch, plain;
  for (int round = 0; round < rounds; ++round) {
    double small = 0, loop = 0, large = 0;
    // In short turns, so that a busy moment of the machine meets all three alike.
    for (int turn = 0; turn < turns; ++turn) {
      check_cancel("bench load", cancel);
      small += loader_cpu_s(records, kSmallBatch, kThreads) / turns;
      loop += plain_cpu_s(*records) / turns;
      large += loader_cpu_s(records, kLargeBatch, kThreads) / turns;
    }
    // cost(batch) = image + batch_share / batch: two sizes, two unknowns.
    const double batch_share = (small - large) / (1.0 / kSmallBatch - 1.0 / kLargeBatch);
    per_batch.push_back(batch_share * 1e6);
    per_image.push_back((large - loop - batch_share / kLargeBatch) * 1e6);
    plain.push_back(loop * 1e6);
  }
  LoaderCost cost;
  cost.us_per_image = spread_of(per_image);
  cost.us_per_batch = spread_of(per_batch);
  cost.threads = kThreads;
  cost.batch_sizes = {kSmallBatch, kLargeBatch};
  cost.plain_us_per_image = spread_of(plain).median;
  return cost;
}

}  // namespace stoker::bench
