#include "pack/ordered_pipeline.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace stoker::packing {
namespace {

struct Item {
  std::size_t value = 0;
  std::size_t held = 0;
  std::size_t bytes() const { return held; }
};

using Pipeline = OrderedPipeline<Item>;

// Spins for a while that depends on the number, so that items overtake each other.
void dawdle(std::size_t index) {
  volatile std::size_t sum = 0;
  for (std::size_t i = 0; i < (index * 2654435761U >> 7) % 3000; ++i) sum = sum + i;
}

std::vector<std::size_t> run(std::size_t count, PipelineLimits limits) {
  std::vector<std::size_t> seen;
  Pipeline pipeline(count, limits,
                    {.work =
                         [](int, std::size_t index, Item& item) {
                           dawdle(index);
                           item = {index * index, 10};
                         },
                     .deliver =
                         [&](std::size_t index, Item& item) {
                           EXPECT_EQ(index, seen.size());
                           seen.push_back(item.value);
                         },
                     .tick = [] {}});
  pipeline.run();
  return seen;
}

TEST(OrderedPipeline, DeliversInOrderForAnyNumberOfThreads) {
  constexpr std::size_t kCount = 2000;
  std::vector<std::size_t> expected(kCount);
  for (std::size_t i = 0; i < kCount; ++i) expected[i] = i * i;
  for (const int threads : {1, 2, 3, 8}) {
    EXPECT_EQ(run(kCount, {.threads = threads, .slots = 12}), expected) << threads << " threads";
  }
}

TEST(OrderedPipeline, AWindowOfOneSlotStillEnds) {
  EXPECT_EQ(run(50, {.threads = 4, .slots = 1}).size(), 50U);
}

TEST(OrderedPipeline, ABytesLimitBelowOneItemStillEnds) {
  EXPECT_EQ(run(200, {.threads = 4, .slots = 16, .bytes = 1}).size(), 200U);
}

TEST(OrderedPipeline, NothingToDo) { EXPECT_TRUE(run(0, {.threads = 3, .slots = 4}).empty()); }

TEST(OrderedPipeline, NeverHoldsMoreThanItsSlots) {
  constexpr std::size_t kSlots = 5;
  std::atomic<std::size_t> begun{0}, delivered{0}, most{0};
  Pipeline pipeline(1000, {.threads = 4, .slots = kSlots},
                    {.work =
                         [&](int, std::size_t index, Item&) {
                           const std::size_t held = ++begun - delivered;
                           std::size_t before = most;
                           while (held > before && !most.compare_exchange_weak(before, held)) {
                           }
                           dawdle(index);
                         },
                     .deliver = [&](std::size_t, Item&) { ++delivered; },
                     .tick = [] {}});
  pipeline.run();
  EXPECT_EQ(delivered, 1000U);
  EXPECT_LE(most, kSlots + 1) << "one more: delivered is counted before the slot is free";
}

TEST(OrderedPipeline, TheBytesLimitHoldsBackNewItems) {
  std::atomic<std::size_t> held{0}, most{0};
  constexpr std::size_t kEach = 100;
  constexpr std::size_t kLimit = 250;
  constexpr int kThreads = 4;
  Pipeline pipeline(400, {.threads = kThreads, .slots = 64, .bytes = kLimit},
                    {.work =
                         [&](int, std::size_t index, Item& item) {
                           dawdle(index * 7);
                           item.held = kEach;
                           held += kEach;
                         },
                     .deliver =
                         [&](std::size_t, Item&) {
                           most = std::max(most.load(), held.load());
                           std::this_thread::sleep_for(std::chrono::microseconds(20));
                           held -= kEach;
                         },
                     .tick = [] {}});
  pipeline.run();
  EXPECT_EQ(held, 0U);
  // Up to one item a thread may have begun before the others' bytes were counted.
  EXPECT_LE(most, kLimit + kEach * (kThreads + 1));
}

TEST(OrderedPipeline, AnErrorOfAnyWorkerReachesTheCaller) {
  for (const int threads : {1, 2, 4}) {
    for (const std::size_t bad : {std::size_t{0}, std::size_t{37}, std::size_t{499}}) {
      std::size_t delivered = 0;
      Pipeline pipeline(500, {.threads = threads, .slots = 8},
                        {.work =
                             [&](int, std::size_t index, Item&) {
                               if (index == bad) throw std::runtime_error("item " + std::to_string(index));
                             },
                         .deliver = [&](std::size_t, Item&) { ++delivered; },
                         .tick = [] {}});
      try {
        pipeline.run();
        ADD_FAILURE() << "no error with " << threads << " threads, bad item " << bad;
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "item " + std::to_string(bad));
      }
      EXPECT_LE(delivered, bad) << "nothing behind the bad item is delivered";
    }
  }
}

TEST(OrderedPipeline, AnErrorOfTheDeliveryReachesTheCaller) {
  for (const int threads : {1, 4}) {
    Pipeline pipeline(500, {.threads = threads, .slots = 8},
                      {.work = [](int, std::size_t, Item&) {},
                       .deliver =
                           [](std::size_t index, Item&) {
                             if (index == 77) throw std::runtime_error("disk full");
                           },
                       .tick = [] {}});
    EXPECT_THROW(pipeline.run(), std::runtime_error) << threads;
  }
}

TEST(OrderedPipeline, TicksComeFromTheCallingThreadAlsoWhileItWaits) {
  const auto caller = std::this_thread::get_id();
  int ticks = 0;
  Pipeline pipeline(2, {.threads = 2, .slots = 4},
                    {.work =
                         [&](int thread, std::size_t, Item&) {
                           if (thread != 0) std::this_thread::sleep_for(std::chrono::milliseconds(350));
                         },
                     .deliver = [](std::size_t, Item&) {},
                     .tick =
                         [&] {
                           EXPECT_EQ(std::this_thread::get_id(), caller);
                           ++ticks;
                         }});
  pipeline.run();
  EXPECT_GE(ticks, 1);
}

TEST(OrderedPipeline, ATickMayStopTheRun) {
  std::atomic<int> worked{0};
  Pipeline pipeline(1'000'000, {.threads = 3, .slots = 8},
                    {.work = [&](int, std::size_t, Item&) { ++worked; },
                     .deliver = [](std::size_t, Item&) {},
                     .tick =
                         [&] {
                           if (worked > 100) throw std::runtime_error("stop");
                         }});
  EXPECT_THROW(pipeline.run(), std::runtime_error);
  EXPECT_LT(worked, 1'000'000);
}

}  // namespace
}  // namespace stoker::packing
