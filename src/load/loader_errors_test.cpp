// Errors that no sample is to blame for, and stores that hang: the consumer hears of it, and nothing waits
// for ever.
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "load/fixtures.hpp"
#include "load/process_probe.hpp"

namespace stoker::load::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using Fault = MemoryReader::Fault;

std::chrono::duration<double> since(Clock::time_point begin) { return Clock::now() - begin; }

// An exception of the reader's that is no verdict on a sample reaches the caller whatever the policy is.
TEST(LoaderErrors, AForeignExceptionReachesTheConsumer) {
  const auto records = std::make_shared<MemoryReader>(40);
  records->set_fault(13, Fault::foreign_exception);
  LoaderOptions options = small_options();
  options.shuffle = false;
  for (const int threads : {1, 4}) {
    options.threads = threads;
    Loader loader(records, options);
    const auto begin = Clock::now();
    try {
      for (int step = 0; step < 100; ++step) loader.next();
      ADD_FAILURE() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the reader broke at memory.rec, sample 13"));
    }
    EXPECT_LT(since(begin), 1s);
    EXPECT_FALSE(loader.next());  // at its end
    EXPECT_FALSE(loader.next());
  }
}

TEST(LoaderErrors, AnInternalErrorIsNotABadSample) {
  const auto records = std::make_shared<MemoryReader>(8);
  records->set_fault(2, Fault::internal);
  Loader loader(records, small_options());
  try {
    for (int step = 0; step < 10; ++step) loader.next();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
  }
  EXPECT_EQ(loader.bad_sample_count(), 0U);
}

TEST(LoaderErrors, CanBeSetGoingAgain) {
  const auto records = std::make_shared<MemoryReader>(8);
  records->set_fault(7, Fault::foreign_exception);
  LoaderOptions options = small_options();
  options.shuffle = false;
  options.read_ahead_bytes = 1;
  options.read_threads = 1;
  Loader loader(records, options);
  for (int round = 0; round < 5; ++round) {
    EXPECT_THROW(
        {
          for (int step = 0; step < 3; ++step) loader.next();
        },
        std::runtime_error);
    loader.set_epoch(static_cast<std::uint64_t>(round));
  }
}

// A bad sample that is to raise, while another of its batch hangs: told within a second all the same.
TEST(LoaderErrors, RaiseDoesNotWaitForAReadThatHangs) {
  const auto records = std::make_shared<MemoryReader>(4);
  records->set_fault(3, Fault::not_a_picture);
  records->set_delay([](std::size_t index) { return index == 0 ? 3s : 0s; });
  LoaderOptions options = small_options();
  options.shuffle = false;
  options.bad_sample = BadSamplePolicy::raise;
  Loader loader(records, options);
  const auto begin = Clock::now();
  EXPECT_THROW(loader.next(), Error);
  EXPECT_LT(since(begin), 1.5s);
}

TEST(LoaderErrors, DestructionIsPromptWhileReadersAreBusy) {
  const auto records = std::make_shared<MemoryReader>(400);
  records->set_delay([](std::size_t) { return 5ms; });
  const auto begin = Clock::now();
  for (int round = 0; round < 20; ++round) Loader loader(records, small_options());
  EXPECT_LT(since(begin), 2s);
}

TEST(LoaderErrors, DestructionIsPromptWhileAReadIsTriedAgain) {
  const auto records = std::make_shared<MemoryReader>(40);
  for (std::size_t i = 0; i < 40; ++i) records->set_fault(i, Fault::unavailable);
  const auto begin = Clock::now();
  {
    Loader loader(records, small_options());
    while (records->reads() < 6) std::this_thread::sleep_for(1ms);  // in the longest pause
  }
  EXPECT_LT(since(begin), 1s);
}

// A store that never answers: the loader goes, its readers are left behind and end when the store does.
TEST(LoaderErrors, DestructionDoesNotWaitForAStoreThatHangs) {
  const auto records = std::make_shared<MemoryReader>(40);
  std::thread([] {}).join();  // ThreadSanitizer starts a thread of its own with the first one
  const int threads_before = count_threads();
  records->close();
  const auto begin = Clock::now();
  {
    Loader loader(records, small_options());
    while (records->hanging() < 2) std::this_thread::sleep_for(1ms);
  }
  EXPECT_LT(since(begin), 2.5s);
  records->open();
  EXPECT_TRUE(eventually([&] { return count_threads() <= threads_before; }));
  EXPECT_TRUE(eventually([&] { return records.use_count() == 1; }));  // what they held is free
}

// A stale reader that comes back after set_epoch() must not bring its bytes to another sample's place.
TEST(LoaderErrors, AReadThatOutlivesItsEpochIsDropped) {
  const auto records = std::make_shared<MemoryReader>(40);
  const std::vector<SeenBatch> expected = [&] {
    Loader whole(records, small_options());
    see_epoch(whole);
    return see_epoch(whole);
  }();
  std::atomic<bool> slow{true};
  records->set_delay([&](std::size_t) { return slow.exchange(false) ? 100ms : 0ms; });
  Loader loader(records, small_options());
  while (slow) std::this_thread::yield();
  loader.set_epoch(1);
  EXPECT_EQ(see_epoch(loader), expected);
}

TEST(LoaderErrors, LeavingInTheMiddleTwoHundredTimesLeaksNothing) {
  const auto records = std::make_shared<MemoryReader>(60);
  LoaderOptions options = small_options();
  options.recipe = "random_resized_crop(64) tensor(f32)";  // 200 KiB a batch: what leaks shows
  const auto leave_early = [&] {
    Loader loader(records, options);
    for (int step = 0; step < 3; ++step) {
      if (!loader.next()) break;
    }
  };
  for (int round = 0; round < 20; ++round) leave_early();
  const int threads = count_threads(), files = count_files();
  const std::size_t memory = resident_bytes();
  for (int round = 0; round < 200; ++round) leave_early();
  EXPECT_TRUE(eventually([&] { return count_threads() <= threads; }));
  EXPECT_EQ(count_files(), files);
  EXPECT_LT(resident_bytes(), memory + memory_noise());
  EXPECT_EQ(records.use_count(), 1);
}

TEST(LoaderErrors, LeavingOneLoaderInTheMiddleOfManyEpochsLeaksNothing) {
  const auto records = std::make_shared<MemoryReader>(60);
  Loader loader(records, small_options());
  const int threads = count_threads();
  for (std::uint64_t epoch = 0; epoch < 200; ++epoch) {
    loader.set_epoch(epoch);
    ASSERT_TRUE(loader.next());
  }
  EXPECT_EQ(count_threads(), threads);
  EXPECT_LE(loader.counters().threads, 2U);
}

TEST(LoaderErrors, MovedLoadersGoOn) {
  const auto records = std::make_shared<MemoryReader>(12);
  Loader first(records, small_options());
  ASSERT_TRUE(first.next());
  Loader second(std::move(first));
  EXPECT_EQ(see_epoch(second).size(), 2U);
  second = Loader(records, small_options());
  EXPECT_EQ(see_epoch(second).size(), 3U);
}

}  // namespace
}  // namespace stoker::load::test
