// The same bytes, always: for any number of threads, ranks put together, and behind a resume anywhere.
#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

#include "load/fixtures.hpp"
#include "load/slot.hpp"

namespace stoker::load::test {
namespace {

using ::testing::HasSubstr;

std::vector<SeenBatch> see_epochs(const std::shared_ptr<const RecordReader>& records,
                                  const LoaderOptions& options, int epochs) {
  Loader loader(records, options);
  std::vector<SeenBatch> all;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const std::vector<SeenBatch> batches = see_epoch(loader);
    EXPECT_EQ(batches.size(), loader.steps_per_epoch());
    all.insert(all.end(), batches.begin(), batches.end());
  }
  return all;
}

std::vector<std::uint64_t> sorted_indices(const SeenBatch& slots) {
  std::vector<std::uint64_t> indices;
  for (const Seen& slot : slots) {
    if (slot.status != SampleStatus::padding) indices.push_back(slot.index);
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<std::uint64_t> first_n(std::uint64_t n) {
  std::vector<std::uint64_t> indices(n);
  for (std::uint64_t i = 0; i < n; ++i) indices[i] = i;
  return indices;
}

TEST(LoaderDeterminism, AnyNumberOfThreadsGivesTheSameBatches) {
  const auto records = std::make_shared<MemoryReader>(61);
  LoaderOptions options = small_options();
  options.threads = 1;
  options.read_threads = 1;
  const std::vector<SeenBatch> one = see_epochs(records, options, 3);
  for (const auto& [threads, read_threads] : {std::pair{2, 2}, {3, 1}, {7, 5}, {8, 2}}) {
    options.threads = threads;
    options.read_threads = read_threads;
    EXPECT_EQ(see_epochs(records, options, 3), one) << threads << " threads, " << read_threads << " readers";
  }
  options.threads = 0;
  EXPECT_EQ(see_epochs(records, options, 3), one) << "tuned";
}

TEST(LoaderDeterminism, FastPixelsAreTheSameToo) {
  const auto records = std::make_shared<MemoryReader>(61);
  LoaderOptions options = small_options();
  const std::vector<SeenBatch> exact = see_epochs(records, options, 2);
  options.pixels = PixelMode::fast;
  options.threads = 1;
  const std::vector<SeenBatch> one = see_epochs(records, options, 2);
  options.threads = 5;
  EXPECT_EQ(see_epochs(records, options, 2), one);
  EXPECT_NE(one, exact) << "the mode reaches the decoder";
  ASSERT_EQ(one.size(), exact.size());
  for (std::size_t step = 0; step < one.size(); ++step)
    EXPECT_EQ(sorted_indices(one[step]), sorted_indices(exact[step])) << "the order is another matter";
}

// Samples whose reads take very different times come out in the same order.
TEST(LoaderDeterminism, JitterOfTheStoreChangesNothing) {
  const auto quick = std::make_shared<MemoryReader>(40);
  const auto jittery = std::make_shared<MemoryReader>(40);
  jittery->set_delay([](std::size_t index) { return std::chrono::microseconds(index * 7919 % 13 * 300); });
  LoaderOptions options = small_options();
  options.threads = 4;
  options.read_threads = 6;
  EXPECT_EQ(see_epochs(jittery, options, 2), see_epochs(quick, options, 2));
}

TEST(LoaderDeterminism, LittleReadAheadAndFewBatchesChangeNothing) {
  const auto records = std::make_shared<MemoryReader>(40);
  LoaderOptions options = small_options();
  const std::vector<SeenBatch> expected = see_epochs(records, options, 2);
  options.read_ahead_bytes = 1;
  EXPECT_EQ(see_epochs(records, options, 2), expected);
  options.batches_ahead = 1;
  EXPECT_EQ(see_epochs(records, options, 2), expected);
}

TEST(LoaderDeterminism, EachEpochHoldsEachSampleOnceInAnOrderOfItsOwn) {
  Loader loader(std::make_shared<MemoryReader>(50), small_options());
  const SeenBatch first = joined(see_epoch(loader)), second = joined(see_epoch(loader));
  EXPECT_EQ(sorted_indices(first), first_n(50));
  EXPECT_EQ(sorted_indices(second), first_n(50));
  EXPECT_NE(first, second);
}

TEST(LoaderDeterminism, AnotherSeedIsAnotherRun) {
  const auto records = std::make_shared<MemoryReader>(20);
  LoaderOptions options = small_options();
  const std::vector<SeenBatch> expected = see_epochs(records, options, 1);
  options.seed = 8;
  EXPECT_NE(see_epochs(records, options, 1), expected);
}

// The crop belongs to (seed, epoch, sample): not to the slot (each slot of every batch getting the same crop,
// as in MXNet), and not to the run alone (each epoch getting the same crops).
TEST(LoaderDeterminism, CropsDifferBetweenSlotsBatchesAndEpochs) {
  const auto records = std::make_shared<MemoryReader>(32);
  for (std::size_t i = 1; i < 32; ++i)
    records->set_bytes(i, records->bytes(0));  // one picture: only draws can differ
  LoaderOptions options = small_options();
  options.shuffle = false;
  Loader loader(records, options);
  std::set<std::uint64_t> pixels;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const Seen& slot : joined(see_epoch(loader))) pixels.insert(slot.pixels);
  }
  EXPECT_GT(pixels.size(), 60U);
}

// A sample's pixels in an epoch depend on nothing else: neither on where it stands nor on who else is there.
TEST(LoaderDeterminism, ASamplesPixelsDependOnItAlone) {
  const auto records = std::make_shared<MemoryReader>(30);
  LoaderOptions options = small_options();
  SeenBatch shuffled = joined(see_epochs(records, options, 1));
  options.shuffle = false;
  options.batch_size = 7;
  SeenBatch plain = joined(see_epochs(records, options, 1));
  std::sort(shuffled.begin(), shuffled.end(), [](const Seen& a, const Seen& b) { return a.index < b.index; });
  EXPECT_EQ(shuffled, plain);
}

TEST(LoaderDeterminism, LabelsAndKeysFollowTheirSamples) {
  LoaderOptions options = small_options();
  options.label_width = 3;  // the source has two
  Loader loader(std::make_shared<MemoryReader>(9), options);
  while (const Batch batch = loader.next()) {
    ASSERT_EQ(batch.labels().size(), static_cast<std::size_t>(batch.size()) * 3);
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.size()); ++i) {
      const auto index = static_cast<float>(batch.indices()[i]);
      EXPECT_EQ(batch.labels()[3 * i], index);
      EXPECT_EQ(batch.labels()[3 * i + 1], index + 0.5F);
      EXPECT_EQ(batch.labels()[3 * i + 2], 0.0F);
      EXPECT_EQ(batch.keys()[i], "sample-" + std::to_string(batch.indices()[i]));
    }
  }
}

TEST(LoaderDeterminism, ABatchTellsItsShape) {
  LoaderOptions options = small_options();
  options.recipe = "random_resized_crop(16x12) tensor(f16, nhwc)";
  Loader loader(std::make_shared<MemoryReader>(9), options);
  const Batch batch = loader.next();
  EXPECT_EQ(batch.size(), 4);
  EXPECT_EQ(batch.image_size(), (Size{16, 12}));
  EXPECT_EQ(batch.image_bytes(), 16U * 12U * 3U * 2U);
  EXPECT_EQ(batch.dtype(), DType::f16);
  EXPECT_EQ(batch.layout(), Layout::nhwc);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.images()) % 64, 0U);
  EXPECT_EQ(batch.epoch(), 0U);
  EXPECT_EQ(batch.step(), 0U);
  EXPECT_EQ(loader.next().step(), 1U);
}

TEST(LoaderDeterminism, AnEmptyHandleHoldsNothing) {
  const Batch batch;
  EXPECT_FALSE(batch);
  EXPECT_EQ(batch.size(), 0);
  EXPECT_TRUE(batch.labels().empty());
  EXPECT_TRUE(batch.indices().empty());
  EXPECT_TRUE(batch.statuses().empty());
  EXPECT_TRUE(batch.keys().empty());
  EXPECT_EQ(batch.images(), nullptr);
}

TEST(LoaderDeterminism, ABadRecipeIsRefusedAtOnce) {
  LoaderOptions options = small_options();
  options.recipe = "random_resized_corp(16)";
  EXPECT_THROW(Loader(std::make_shared<MemoryReader>(9), options), Error);
  EXPECT_THROW(Loader(nullptr, small_options()), Error);
}

}  // namespace
}  // namespace stoker::load::test
