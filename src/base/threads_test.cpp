#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

#include "base/bounded_queue.hpp"
#include "base/thread_group.hpp"

namespace stoker {
namespace {

TEST(BoundedQueue, PassesEverythingOnceBetweenThreads) {
  BoundedQueue<int> queue(4);
  std::atomic<int> sum{0};
  ThreadGroup group;
  for (int i = 0; i < 3; ++i)
    group.start("consumer", [&] {
      while (const std::optional<int> item = queue.pop()) sum += *item;
    });
  for (int i = 1; i <= 1000; ++i) EXPECT_TRUE(queue.push(i));
  queue.close();
  group.join_and_rethrow();
  EXPECT_EQ(sum, 500'500);
  EXPECT_FALSE(queue.push(1));
}

TEST(ThreadGroup, KeepsTheFirstErrorAndCallsOnErrorOnce) {
  BoundedQueue<int> queue(1);
  std::atomic<int> calls{0};
  ThreadGroup group([&] {
    ++calls;
    queue.close();
  });
  group.start("waits", [&] { EXPECT_FALSE(queue.pop()); });
  group.start("throws", [] { throw std::runtime_error("first"); });
  EXPECT_THROW(group.join_and_rethrow(), std::runtime_error);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(group.failed());
}

}  // namespace
}  // namespace stoker
