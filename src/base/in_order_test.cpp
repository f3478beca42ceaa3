#include "base/in_order.hpp"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

namespace stoker {
namespace {

struct Item {
  int number = 0;
  int squared = 0;
  std::size_t bytes() const { return 1; }
};

TEST(InOrder, DeliversInTheOrderOfReadingForAnyThreads) {
  for (const int threads : {1, 2, 7}) {
    int next = 0;
    std::vector<int> delivered;
    process_in_order<Item>(
        threads,
        [&](Item& item) {
          item.number = next++;
          return item.number < 1000;
        },
        [&](int thread, Item& item) {
          EXPECT_LT(thread, threads);
          item.squared = item.number * item.number;
        },
        [&](Item& item) { delivered.push_back(item.squared); }, {.items = 16});
    ASSERT_EQ(delivered.size(), 1000U);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(delivered[static_cast<std::size_t>(i)], i * i);
  }
}

TEST(InOrder, HoldsNoMoreThanItsLimits) {
  std::atomic<int> held{0};
  int most = 0;
  int next = 0;
  process_in_order<Item>(
      2,
      [&](Item&) {
        if (next++ == 100) return false;
        most = std::max(most, ++held);
        return true;
      },
      [](int, Item&) {}, [&](Item&) { --held; }, {.items = 100, .bytes = 5});
  EXPECT_EQ(held, 0);
  EXPECT_LE(most, 10) << "two chunks of five bytes";
}

TEST(InOrder, TheFirstErrorLeavesWithNoThreadBehind) {
  int delivered = 0;
  const auto run = [&](int fail_read_at, int fail_work_at) {
    int next = 0;
    delivered = 0;
    process_in_order<Item>(
        3,
        [&](Item& item) {
          if (next == fail_read_at) throw std::runtime_error("read");
          item.number = next++;
          return item.number < 1000;
        },
        [&](int, Item& item) {
          if (item.number == fail_work_at) throw std::runtime_error("work");
        },
        [&](Item&) { ++delivered; }, {.items = 10});
  };
  EXPECT_THROW(run(25, -1), std::runtime_error);
  EXPECT_THROW(run(-1, 25), std::runtime_error);
  EXPECT_LE(delivered, 20);
}

}  // namespace
}  // namespace stoker
