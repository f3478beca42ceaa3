#include "load/order.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <vector>

namespace stoker::load {
namespace {

std::vector<std::uint64_t> all_of(const EpochOrder& order) {
  std::vector<std::uint64_t> indices;
  for (std::uint64_t position = 0; position < order.size(); ++position) indices.push_back(order.at(position));
  return indices;
}

TEST(EpochOrder, HoldsEachSampleOnce) {
  for (const std::uint64_t size : {1, 2, 3, 10, 1000, 70000, 140001}) {
    std::vector<std::uint64_t> indices = all_of(EpochOrder(size, true, 3, 4));
    std::sort(indices.begin(), indices.end());
    std::vector<std::uint64_t> expected(size);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(indices, expected) << size;
  }
}

TEST(EpochOrder, UnshuffledIsTheDatasetsOwn) {
  const EpochOrder order(5, false, 3, 4);
  EXPECT_EQ(all_of(order), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(EpochOrder, DependsOnSeedAndEpochAlone) {
  const auto order = [](std::uint64_t seed, std::uint64_t epoch) {
    return all_of(EpochOrder(100, true, seed, epoch));
  };
  EXPECT_EQ(order(1, 2), order(1, 2));
  EXPECT_NE(order(1, 2), order(1, 3));
  EXPECT_NE(order(1, 2), order(2, 2));
  EXPECT_NE(order(1, 2), order(std::uint64_t{1} << 32 | 1, 2));
  EXPECT_NE(order(1, 2), order(1, 2 + (std::uint64_t{1} << 20)));
}

// A checkpoint of today is gone on with by a release of tomorrow: these values never change.
TEST(EpochOrder, IsPinned) {
  EXPECT_EQ(all_of(EpochOrder(10, true, 0, 0)), (std::vector<std::uint64_t>{6, 0, 7, 9, 3, 2, 1, 5, 4, 8}));
  EXPECT_EQ(all_of(EpochOrder(10, true, 42, 7)), (std::vector<std::uint64_t>{0, 4, 7, 1, 6, 8, 9, 2, 3, 5}));
}

// Every sample comes to every place equally often: 24 orders of 4 samples, chi-square with 23 degrees of
// freedom, whose 99.99 % point is 56; the draws are fixed, so this cannot fail by chance.
TEST(EpochOrder, AllPermutationsAreEquallyLikely) {
  constexpr int kEpochs = 24000;
  std::map<std::vector<std::uint64_t>, int> counts;
  for (int epoch = 0; epoch < kEpochs; ++epoch) ++counts[all_of(EpochOrder(4, true, 1, epoch))];
  ASSERT_EQ(counts.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, count] : counts)
    chi_square += std::pow(count - kEpochs / 24.0, 2) / (kEpochs / 24.0);
  EXPECT_LT(chi_square, 56);
}

// What all ranks together get in an epoch that begins at `position`, step by step: slots as positions, -1 for
// hollow ones.
struct RankStep {
  std::vector<std::int64_t> samples;
  std::vector<std::int64_t> padding;
};
std::vector<std::vector<RankStep>> run_epoch(std::uint64_t size, int batch, int world, LastBatchPolicy policy,
                                             std::uint64_t position = 0) {
  std::vector<std::vector<RankStep>> steps;
  while (StepPlan(size, batch, 0, world, policy).has_step(position)) {
    std::vector<RankStep> step;
    std::uint64_t next = 0;
    for (int rank = 0; rank < world; ++rank) {
      const StepPlan plan(size, batch, rank, world, policy);
      EXPECT_TRUE(plan.has_step(position));
      const StepSlice slice = plan.slice(position);
      RankStep mine;
      for (int slot = 0; slot < slice.slots(); ++slot) {
        const std::int64_t at =
            slice.is_hollow(slot) ? -1 : static_cast<std::int64_t>(slice.position(slot, size));
        (slice.is_padding(slot) ? mine.padding : mine.samples).push_back(at);
      }
      EXPECT_TRUE(rank == 0 || next == slice.next_position);
      next = slice.next_position;
      step.push_back(std::move(mine));
    }
    EXPECT_GT(next, position);
    position = next;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<std::int64_t> samples_of(const std::vector<std::vector<RankStep>>& steps) {
  std::vector<std::int64_t> all;
  for (const auto& step : steps) {
    for (const RankStep& rank : step) all.insert(all.end(), rank.samples.begin(), rank.samples.end());
  }
  return all;
}

// Every small case: each sample once and in order, equal steps, no empty batch, never more than a batch.
TEST(StepPlan, CoversEachSampleOnceUnderEachPolicy) {
  for (const LastBatchPolicy policy : {LastBatchPolicy::keep, LastBatchPolicy::drop, LastBatchPolicy::pad}) {
    for (std::uint64_t size = 1; size <= 30; ++size) {
      for (int world = 1; world <= 5; ++world) {
        for (int batch = 1; batch <= 7; ++batch) {
          SCOPED_TRACE(::testing::Message()
                       << to_string(policy) << " " << size << "/" << world << "/" << batch);
          const auto steps = run_epoch(size, batch, world, policy);
          const StepPlan plan(size, batch, 0, world, policy);
          EXPECT_EQ(steps.size(), plan.steps_per_epoch());
          std::vector<std::int64_t> expected(plan.samples_per_epoch());
          std::iota(expected.begin(), expected.end(), 0);
          EXPECT_EQ(samples_of(steps), expected);
          for (const auto& step : steps) {
            for (const RankStep& rank : step) {
              const std::size_t slots = rank.samples.size() + rank.padding.size();
              EXPECT_GE(slots, 1U);
              EXPECT_LE(slots, static_cast<std::size_t>(batch));
              EXPECT_TRUE(policy == LastBatchPolicy::keep || slots == static_cast<std::size_t>(batch));
            }
          }
        }
      }
    }
  }
}

TEST(StepPlan, TwentySixOnFourRanksOfSix) {
  const auto kept = run_epoch(26, 6, 4, LastBatchPolicy::keep);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1][0].samples, (std::vector<std::int64_t>{24}));
  EXPECT_EQ(kept[1][1].samples, (std::vector<std::int64_t>{25}));
  EXPECT_EQ(kept[1][2].padding, (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(kept[1][3].padding, (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(run_epoch(26, 6, 4, LastBatchPolicy::drop).size(), 1U);
  const auto padded = run_epoch(26, 6, 4, LastBatchPolicy::pad);
  ASSERT_EQ(padded.size(), 2U);
  EXPECT_EQ(padded[1][0].samples, (std::vector<std::int64_t>{24, 25}));
  EXPECT_EQ(padded[1][0].padding, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(padded[1][3].padding, (std::vector<std::int64_t>{16, 17, 18, 19, 20, 21}));
}

TEST(StepPlan, TenOnFourRanksOfThree) {
  const auto kept = run_epoch(10, 3, 4, LastBatchPolicy::keep);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0][0].samples, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(kept[0][1].samples, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(kept[0][2].samples, (std::vector<std::int64_t>{6, 7}));
  EXPECT_EQ(kept[0][3].samples, (std::vector<std::int64_t>{8, 9}));
  const auto padded = run_epoch(10, 3, 4, LastBatchPolicy::pad);
  EXPECT_EQ(padded[0][3].samples, (std::vector<std::int64_t>{9}));
  EXPECT_EQ(padded[0][3].padding, (std::vector<std::int64_t>{0, 1}));
}

TEST(StepPlan, PaddingWrapsMoreThanOnceInATinyEpoch) {
  const auto padded = run_epoch(3, 4, 2, LastBatchPolicy::pad);
  ASSERT_EQ(padded.size(), 1U);
  EXPECT_EQ(padded[0][0].samples, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(padded[0][0].padding, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(padded[0][1].padding, (std::vector<std::int64_t>{1, 2, 0, 1}));
}

// From any step on, another world size or batch size goes on exactly there.
TEST(StepPlan, GoesOnAnywhereWithOtherRanks) {
  constexpr std::uint64_t kSize = 53;
  for (std::uint64_t position = 0; position <= kSize; position += 6) {
    for (int world = 1; world <= 4; ++world) {
      for (int batch = 1; batch <= 5; ++batch) {
        std::vector<std::int64_t> expected;
        for (std::uint64_t at = position; at < kSize; ++at) expected.push_back(static_cast<std::int64_t>(at));
        EXPECT_EQ(samples_of(run_epoch(kSize, batch, world, LastBatchPolicy::keep, position)), expected);
        EXPECT_EQ(samples_of(run_epoch(kSize, batch, world, LastBatchPolicy::pad, position)), expected);
      }
    }
  }
}

TEST(StepPlan, StepsAreNumberedWithinTheEpoch) {
  const StepPlan plan(26, 3, 1, 2, LastBatchPolicy::keep);
  std::uint64_t position = 0;
  for (std::uint64_t step = 0; plan.has_step(position); ++step) {
    const StepSlice slice = plan.slice(position);
    EXPECT_EQ(slice.step, step);
    position = slice.next_position;
  }
}

}  // namespace
}  // namespace stoker::load
