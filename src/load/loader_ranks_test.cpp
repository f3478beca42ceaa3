// Ranks put together are one rank with a larger batch; the last step under each policy.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "load/fixtures.hpp"
#include "load/slot.hpp"

namespace stoker::load::test {
namespace {

// Step by step, what all ranks hold, one behind the other; every rank must have the same number of steps.
std::vector<SeenBatch> see_world(const std::shared_ptr<const RecordReader>& records, LoaderOptions options,
                                 int world) {
  std::vector<SeenBatch> steps;
  for (int rank = 0; rank < world; ++rank) {
    options.rank = rank;
    options.world_size = world;
    Loader loader(records, options);
    const std::vector<SeenBatch> mine = see_epoch(loader);
    EXPECT_EQ(mine.size(), loader.steps_per_epoch());
    EXPECT_TRUE(rank == 0 || mine.size() == steps.size());
    steps.resize(mine.size());
    for (std::size_t step = 0; step < mine.size(); ++step) {
      EXPECT_FALSE(mine[step].empty());
      steps[step].insert(steps[step].end(), mine[step].begin(), mine[step].end());
    }
  }
  return steps;
}

std::vector<SeenBatch> see_alone(const std::shared_ptr<const RecordReader>& records, LoaderOptions options,
                                 int world) {
  options.batch_size *= world;
  Loader loader(records, options);
  return see_epoch(loader);
}

SeenBatch without_padding(const std::vector<SeenBatch>& steps) {
  SeenBatch all = joined(steps);
  std::erase_if(all, [](const Seen& slot) { return slot.status == SampleStatus::padding; });
  return all;
}

TEST(LoaderRanks, ThreeRanksAreOneRankOfThreeTimesTheBatch) {
  const auto records = std::make_shared<MemoryReader>(60);  // 5 steps of 3 × 4
  const LoaderOptions options = small_options();
  EXPECT_EQ(see_world(records, options, 3), see_alone(records, options, 3));
}

TEST(LoaderRanks, AlsoInTheLastStepUnderEachPolicy) {
  const auto records = std::make_shared<MemoryReader>(56);  // the last step has 8 of 12
  for (const LastBatchPolicy policy : {LastBatchPolicy::keep, LastBatchPolicy::drop, LastBatchPolicy::pad}) {
    LoaderOptions options = small_options();
    options.last_batch = policy;
    EXPECT_EQ(see_world(records, options, 3), see_alone(records, options, 3)) << to_string(policy);
  }
}

TEST(LoaderRanks, TwentySixOnFourRanksOfSix) {
  const auto records = std::make_shared<MemoryReader>(26);
  LoaderOptions options = small_options();
  options.batch_size = 6;
  for (const LastBatchPolicy policy : {LastBatchPolicy::keep, LastBatchPolicy::pad}) {
    options.last_batch = policy;
    const std::vector<SeenBatch> steps = see_world(records, options, 4);
    EXPECT_EQ(steps.size(), 2U);
    EXPECT_EQ(without_padding(steps),
              joined(see_alone(records, small_options(), 1)));  // another cut, the same order
  }
  options.last_batch = LastBatchPolicy::drop;
  EXPECT_EQ(joined(see_world(records, options, 4)).size(), 24U);
}

TEST(LoaderRanks, TenOnFourRanksOfThree) {
  const auto records = std::make_shared<MemoryReader>(10);
  LoaderOptions options = small_options();
  options.batch_size = 3;
  const std::vector<SeenBatch> steps = see_world(records, options, 4);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].size(), 10U);
  EXPECT_EQ(without_padding(steps).size(), 10U);
  options.last_batch = LastBatchPolicy::pad;
  EXPECT_EQ(see_world(records, options, 4)[0].size(), 12U);
}

TEST(LoaderRanks, ARankWithoutAShareGetsOneHollowSlot) {
  const auto records = std::make_shared<MemoryReader>(2);
  LoaderOptions options = small_options();
  options.rank = 3;
  options.world_size = 4;
  Loader loader(records, options);
  const Batch batch = loader.next();
  ASSERT_EQ(batch.size(), 1);
  EXPECT_EQ(batch.statuses()[0], SampleStatus::padding);
  EXPECT_EQ(batch.labels()[0], kNoLabel);
  EXPECT_EQ(batch.indices()[0], kNoSample);
  EXPECT_EQ(batch.keys()[0], "");
  EXPECT_TRUE(std::all_of(batch.images(), batch.images() + batch.image_bytes(),
                          [](std::byte byte) { return byte == std::byte{0}; }));
  EXPECT_FALSE(loader.next());
  EXPECT_EQ(records->reads(), 0U);
}

TEST(LoaderRanks, PaddingHasThePixelsOfTheEpochsBeginning) {
  const auto records = std::make_shared<MemoryReader>(6);
  LoaderOptions options = small_options();
  options.last_batch = LastBatchPolicy::pad;
  Loader loader(records, options);
  const std::vector<SeenBatch> batches = see_epoch(loader);
  ASSERT_EQ(batches.size(), 2U);
  ASSERT_EQ(batches[1].size(), 4U);
  for (int slot = 2; slot < 4; ++slot) {
    Seen expected = batches[0][static_cast<std::size_t>(slot - 2)];
    expected.status = SampleStatus::padding;
    EXPECT_EQ(batches[1][static_cast<std::size_t>(slot)], expected);
  }
}

TEST(LoaderRanks, EpochOfOneSample) {
  Loader loader(std::make_shared<MemoryReader>(1), small_options());
  for (int epoch = 0; epoch < 20; ++epoch) {
    const std::vector<SeenBatch> batches = see_epoch(loader);
    ASSERT_EQ(batches.size(), 1U);
    EXPECT_EQ(batches[0].size(), 1U);
  }
}

}  // namespace
}  // namespace stoker::load::test
