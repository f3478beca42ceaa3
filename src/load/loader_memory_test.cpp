// Memory: batches stay untouched while they are held, the ring grows and shrinks with what is held, nothing
// grows over epochs.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "load/fixtures.hpp"
#include "load/pipeline.hpp"
#include "load/process_probe.hpp"

namespace stoker::load::test {
namespace {

// A pipeline as a loader makes it, to look inside.
std::shared_ptr<Pipeline> make_pipeline(const std::shared_ptr<const RecordReader>& records,
                                        const LoaderOptions& options) {
  auto pipeline = std::make_shared<Pipeline>(records, options, Recipe::parse(options.recipe), options.threads,
                                             std::make_shared<Counters>(false));
  pipeline->start(options.threads);
  return pipeline;
}

TEST(LoaderMemory, ABatchStaysUntouchedWhileItIsHeld) {
  Loader loader(std::make_shared<MemoryReader>(40), small_options());
  const Batch held = loader.next();
  const Batch copy = held;
  const SeenBatch before = see(held);
  for (int epoch = 0; epoch < 5; ++epoch) see_epoch(loader);
  EXPECT_EQ(see(held), before);
  EXPECT_EQ(copy.images(), held.images());
}

TEST(LoaderMemory, ABatchOutlivesItsLoader) {
  Batch held;
  SeenBatch before;
  {
    Loader loader(std::make_shared<MemoryReader>(40), small_options());
    held = loader.next();
    before = see(held);
  }
  EXPECT_EQ(see(held), before);
  std::thread([moved = std::move(held)]() mutable { moved = Batch(); }).join();  // and goes on another thread
}

// A consumer that holds on to everything gets ever new memory rather than a deadlock.
TEST(LoaderMemory, HoldingAllBatchesIsNoDeadlock) {
  LoaderOptions options = small_options();
  options.batches_ahead = 1;
  Loader loader(std::make_shared<MemoryReader>(80), options);
  std::vector<Batch> held;
  while (const Batch batch = loader.next()) held.push_back(batch);
  ASSERT_EQ(held.size(), 20U);
  Loader fresh(std::make_shared<MemoryReader>(80), options);
  for (const Batch& batch : held) EXPECT_EQ(see(batch), see(fresh.next()));
}

TEST(LoaderMemory, TheRingIsReusedAndShrinksAgain) {
  const auto records = std::make_shared<MemoryReader>(400);
  LoaderOptions options = small_options();
  const std::shared_ptr<Pipeline> pipeline = make_pipeline(records, options);
  Counters counters(false);
  LocalCounts counts(counters);
  for (int step = 0; step < 50; ++step) pipeline->take(counts);
  EXPECT_LE(pipeline->slots_made(), static_cast<std::size_t>(options.batches_ahead) + 2);
  std::vector<std::shared_ptr<const BatchSlot>> held;
  for (int step = 0; step < 30; ++step) held.push_back(pipeline->take(counts));
  EXPECT_GE(pipeline->slots_made(), 30U);
  held.clear();
  for (int step = 0; step < 300; ++step) pipeline->take(counts);
  EXPECT_LE(pipeline->slots_made(), static_cast<std::size_t>(options.batches_ahead) + 2);
  pipeline->stop();
}

TEST(LoaderMemory, ReadingAheadKeepsToItsBytes) {
  const auto records = std::make_shared<MemoryReader>(3000);
  LoaderOptions options = small_options();
  options.read_ahead_bytes = 100 << 10;
  const std::shared_ptr<Pipeline> pipeline = make_pipeline(records, options);
  Counters counters(false);
  LocalCounts counts(counters);
  std::size_t most = 0;
  for (int step = 0; step < 700; ++step) {
    pipeline->take(counts);
    most = std::max(most, pipeline->read_bytes_held());
  }
  EXPECT_LT(most, 140U << 10);
  pipeline->stop();
}

// Without a consumer the pipeline comes to rest: bounded work, bounded memory.
TEST(LoaderMemory, WithoutAConsumerAllComesToRest) {
  const auto records = std::make_shared<MemoryReader>(5000);
  LoaderOptions options = small_options();
  options.read_ahead_bytes = 64 << 10;
  Loader loader(records, options);
  std::uint64_t before = 0;
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return std::exchange(before, records->reads()) == records->reads();
  }));
  EXPECT_LT(records->reads(), 500U);
}

// What decoding one of these pictures allocates by itself, whoever asks for it.
std::uint64_t allocations_of_decoding(const MemoryReader& records, const LoaderOptions& options) {
  const image::Transform transform(Recipe::parse(options.recipe));
  image::Decoder decoder;
  std::vector<std::byte> out(transform.recipe().bytes_per_sample());
  std::uint64_t before = 0;
  for (const std::uint64_t epoch : {0, 1}) {
    before = count_allocations();
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_TRUE(transform.run(decoder, {.bytes = records.bytes(i), .max_pixels = options.max_pixels},
                                {options.seed, epoch, i}, out.data()));
    }
  }
  return (count_allocations() - before) / records.size();
}

TEST(LoaderMemory, NothingIsAllocatedPerImageOrBatchAfterWarmUp) {
  LoaderOptions options = small_options();
  options.batch_size = 8;
  options.read_ahead_bytes = 64 << 10;  // few buffers, so that all of them soon met the largest picture
  const auto records = std::make_shared<MemoryReader>(400);
  const std::uint64_t decoding = allocations_of_decoding(*records, options);
  Loader loader(records, options);
  const auto epochs = [&](int count) {
    for (int epoch = 0; epoch < count; ++epoch) {
      while (loader.next()) {
      }
    }
  };
  const std::atomic<std::uint64_t>& decoded =
      loader.counters().stages[static_cast<std::size_t>(Stage::decode)].items;
  epochs(8);
  const std::uint64_t allocated_before = count_allocations(), decoded_before = decoded;
  epochs(30);
  const std::uint64_t images = decoded - decoded_before;
  EXPECT_GT(images, 9000U);
  // 12,000 images in 1,500 batches; each epoch has an order of its own to make, and counters come a little
  // late.
  EXPECT_LT(count_allocations() - allocated_before, decoding * images + 500);
}

TEST(LoaderMemory, ResidentMemoryIsFlatOverEpochs) {
  const auto records = std::make_shared<MemoryReader>(2000);
  LoaderOptions options = small_options();
  options.recipe = "random_resized_crop(64)";
  options.batch_size = 64;
  Loader loader(records, options);
  const auto epoch = [&] {
    while (loader.next()) {
    }
  };
  epoch();
  const std::size_t before = resident_bytes();
  for (int i = 0; i < 3; ++i) epoch();
  EXPECT_LT(resident_bytes(), before + memory_noise());
}

}  // namespace
}  // namespace stoker::load::test
