// Stop anywhere, go on anywhere: nothing is lost, nothing comes twice, and the pixels are the same.
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "load/fixtures.hpp"

namespace stoker::load::test {
namespace {

TEST(LoaderResume, FromEveryStepWithOtherThreads) {
  const auto records = std::make_shared<MemoryReader>(23);
  LoaderOptions options = small_options();
  Loader whole(records, options);
  std::vector<SeenBatch> expected = see_epoch(whole);
  const std::size_t steps = expected.size();
  const std::vector<SeenBatch> second = see_epoch(whole);
  expected.insert(expected.end(), second.begin(), second.end());

  for (std::size_t stop = 0; stop <= steps; ++stop) {  // stop == steps: behind the epoch's last batch
    Loader before(records, options);
    for (std::size_t step = 0; step < stop; ++step) ASSERT_TRUE(before.next());
    const LoaderState state = LoaderState::parse(before.state().to_string());
    LoaderOptions other = options;
    other.threads = 1 + static_cast<int>(stop % 5);
    Loader after(records, other);
    after.restore(state);
    std::vector<SeenBatch> rest = see_epoch(after);
    EXPECT_EQ(rest.size(), steps - stop);
    const std::vector<SeenBatch> next = see_epoch(after);  // no epoch is dropped
    rest.insert(rest.end(), next.begin(), next.end());
    const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(stop);
    EXPECT_EQ(rest, std::vector<SeenBatch>(begin, expected.end())) << "stopped after " << stop;
  }
}

TEST(LoaderResume, WithAnotherWorldSize) {
  const auto records = std::make_shared<MemoryReader>(47);
  LoaderOptions options = small_options();
  options.world_size = 2;
  Loader rank0(records, options);
  options.rank = 1;
  Loader rank1(records, options);
  SeenBatch seen;
  for (int step = 0; step < 3; ++step) {
    for (Loader* loader : {&rank0, &rank1}) {
      const SeenBatch batch = see(loader->next());
      seen.insert(seen.end(), batch.begin(), batch.end());
    }
  }
  EXPECT_EQ(rank0.state().to_string(), rank1.state().to_string());

  // On three ranks with another batch size.
  LoaderOptions wide = small_options();
  wide.world_size = 3;
  wide.batch_size = 5;
  std::vector<std::vector<SeenBatch>> ranks;
  for (wide.rank = 0; wide.rank < 3; ++wide.rank) {
    Loader loader(records, wide);
    loader.restore(rank0.state());
    ranks.push_back(see_epoch(loader));
  }
  for (std::size_t step = 0; step < ranks[0].size(); ++step) {
    for (const std::vector<SeenBatch>& rank : ranks)
      seen.insert(seen.end(), rank.at(step).begin(), rank.at(step).end());
  }
  std::erase_if(seen, [](const Seen& slot) { return slot.status == SampleStatus::padding; });

  Loader whole(records, small_options());
  EXPECT_EQ(seen, joined(see_epoch(whole)));
}

TEST(LoaderResume, StateStandsBehindTheLastBatchGivenNotRead) {
  const auto records = std::make_shared<MemoryReader>(40);
  Loader loader(records, small_options());
  const Batch batch = loader.next();
  while (records->reads() < 40) std::this_thread::yield();  // all of the epoch is read ahead
  EXPECT_EQ(loader.state().samples_done, 4U);
  EXPECT_EQ(loader.state().epoch, 0U);
  EXPECT_EQ(loader.state().seed, 7U);
  EXPECT_EQ(loader.state().dataset_size, 40U);
}

TEST(LoaderResume, EpochTurnsWithTheEmptyHandle) {
  Loader loader(std::make_shared<MemoryReader>(4), small_options());
  ASSERT_TRUE(loader.next());
  EXPECT_EQ(loader.epoch(), 0U);
  EXPECT_EQ(loader.state().samples_done, 4U);
  EXPECT_FALSE(loader.next());
  EXPECT_EQ(loader.epoch(), 1U);
  EXPECT_EQ(loader.state().samples_done, 0U);
  const Batch batch = loader.next();
  EXPECT_EQ(batch.epoch(), 1U);
}

TEST(LoaderResume, SetEpochLeavesThePresentOne) {
  const auto records = std::make_shared<MemoryReader>(30);
  Loader whole(records, small_options());
  see_epoch(whole);
  const std::vector<SeenBatch> second = see_epoch(whole);
  const std::vector<SeenBatch> third = see_epoch(whole);

  Loader loader(records, small_options());
  ASSERT_TRUE(loader.next());
  loader.set_epoch(2);
  EXPECT_EQ(see_epoch(loader), third);
  loader.set_epoch(1);
  EXPECT_EQ(see_epoch(loader), second);
  EXPECT_EQ(see_epoch(loader), third);
}

// Calling set_epoch at the border, as many training loops do, keeps what was made ready for the next epoch.
TEST(LoaderResume, SetEpochAtTheBorderThrowsNothingAway) {
  const auto records = std::make_shared<MemoryReader>(12);
  LoaderOptions options = small_options();
  options.batches_ahead = 1;
  options.read_ahead_bytes = 1;  // so that little is read ahead, and what is read twice shows
  Loader loader(records, options);
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    loader.set_epoch(epoch);
    EXPECT_EQ(see_epoch(loader).size(), 3U);
  }
  for (std::uint64_t epoch = 10; epoch < 20; ++epoch) {
    loader.set_epoch(epoch);
    for (std::uint64_t step = 0; step < loader.steps_per_epoch(); ++step) ASSERT_TRUE(loader.next());
  }
  EXPECT_LE(records->reads(), 20 * 12 + 8U);
}

TEST(LoaderResume, RestoringOftenIsHarmless) {
  const auto records = std::make_shared<MemoryReader>(50);
  Loader loader(records, small_options());
  Loader whole(records, small_options());
  const std::vector<SeenBatch> expected = see_epoch(whole);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t step = static_cast<std::uint64_t>(round * 5 % 12);
    loader.restore({.seed = 7, .epoch = 0, .samples_done = step * 4, .dataset_size = 50});
    EXPECT_EQ(see(loader.next()), expected[step]);
  }
}

TEST(LoaderResume, RefusesAnotherDatasetOrSeed) {
  Loader loader(std::make_shared<MemoryReader>(10), small_options());
  const auto code = [&](const LoaderState& state) {
    try {
      loader.restore(state);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code({.seed = 7, .dataset_size = 11}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.seed = 8, .dataset_size = 10}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.seed = 7, .samples_done = 11, .dataset_size = 10}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({.seed = 7, .epoch = std::uint64_t{1} << 32, .dataset_size = 10}),
            ErrorCode::invalid_argument);
  EXPECT_THROW(loader.set_epoch(std::uint64_t{1} << 32), Error);
  EXPECT_TRUE(loader.next());  // and stands where it stood
}

}  // namespace
}  // namespace stoker::load::test
