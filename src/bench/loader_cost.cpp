#include "bench/loader_cost.hpp"

#include <algorithm>
#include <cmath>
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
// One worker with its readers and the consumer: no waiting for a CPU on two of them.
constexpr int kThreads = 1;
// Images of a slice. The least fill every slot of the ring with large batches; at the most a slice still
// lasts so short a time that a busy moment of the machine meets all slices of a turn.
constexpr std::size_t kLeastImages = 512, kMostImages = 4096;
static_assert(kLeastImages % kLargeBatch == 0 && kMostImages % kLargeBatch == 0 &&
              kLargeBatch % kSmallBatch == 0);

LoaderOptions options_of(int batch_size) {
  LoaderOptions options;
  options.recipe = kRecipe;
  options.batch_size = batch_size;
  options.threads = kThreads;
  options.publish_counters = false;
  return options;
}

// Of one image.
struct Seconds {
  double cpu = 0;
  double wall = 0;
};

// One epoch through the loader; the epoch before it is the warm-up.
Seconds time_loader(const std::shared_ptr<const MemoryReader>& records, int batch_size) {
  Loader loader(records, options_of(batch_size));
  while (loader.next()) {
  }
  const double start_cpu = process_cpu_s(), start = wall_s();
  while (loader.next()) {
  }
  const auto images = static_cast<double>(records->size());
  return {.cpu = (process_cpu_s() - start_cpu) / images, .wall = (wall_s() - start) / images};
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
    for (std::size_t i = 0; i < records.size(); ++i) {
      records.read(i, sample);
      value_or_throw(transform.run(decoder, {.bytes = sample.main()}, {0, epoch, i},
                                   batch.data() + stride * (i % kLargeBatch)));
    }
  }
  return (process_cpu_s() - start) / static_cast<double>(records.size());
}

}  // namespace

std::size_t images_of_slice(double seconds, double image_s) {
  constexpr double kEpochs = 2;  // the warm-up and the timed one
  const double batches = std::floor(seconds / kEpochs / image_s / kLargeBatch);
  constexpr double kLeast = static_cast<double>(kLeastImages) / kLargeBatch,
                   kMost = static_cast<double>(kMostImages) / kLargeBatch;
  return static_cast<std::size_t>(std::clamp(batches, kLeast, kMost)) * kLargeBatch;
}

LoaderCost measure_loader_cost(int rounds, int turns, double slice_s, const std::atomic<bool>* cancel) {
  const std::vector<std::byte> image = make_tiny_jpeg(kSide);
  // Every slice takes the same number of images, chosen once: where each stopped by the clock, slow moments
  // would weigh less on one side than on the other.
  const double image_s =
      time_loader(std::make_shared<const MemoryReader>(image, kLeastImages), kSmallBatch).wall;
  const std::size_t images = images_of_slice(slice_s, image_s);
  const auto records = std::make_shared<const MemoryReader>(image, images);
  std::vector<double> per_image, per_batch, plain;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> small_turns, loop_turns, large_turns;
    // In short turns, so that a busy moment of the machine meets all three alike.
    for (int turn = 0; turn < turns; ++turn) {
      check_cancel("bench load", cancel);
      small_turns.push_back(time_loader(records, kSmallBatch).cpu);
      loop_turns.push_back(plain_cpu_s(*records));
      large_turns.push_back(time_loader(records, kLargeBatch).cpu);
    }
    // A turn that something else disturbed does not count.
    const double small = spread_of(small_turns).median, loop = spread_of(loop_turns).median,
                 large = spread_of(large_turns).median;
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
  cost.images = images;
  cost.plain_us_per_image = spread_of(plain).median;
  return cost;
}

}  // namespace stoker::bench
