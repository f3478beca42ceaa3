#include "load/read_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace stoker::load {
namespace {

constexpr std::size_t kMiB = 1 << 20;

void fill(ReadPool& pool, ReadItem& item, std::size_t bytes) {
  pool.prepare(item);
  item.sample.buffer.resize(bytes);
  pool.recount(item);
}

void put_back(ReadPool& pool, ReadItem* item) {
  pool.trim(*item);
  pool.give_back(item);
}

TEST(ReadPool, OneItemIsAlwaysLetIn) {
  ReadPool pool(1);
  EXPECT_TRUE(pool.has_room());
  ReadItem* item = pool.take();
  EXPECT_FALSE(pool.has_room());
  put_back(pool, item);
  EXPECT_TRUE(pool.has_room());
}

TEST(ReadPool, CountsWhatIsReallyHeld) {
  ReadPool pool(4 * kMiB);
  ReadItem* item = pool.take();
  fill(pool, *item, kMiB);
  EXPECT_GE(pool.in_flight_bytes(), kMiB);
  EXPECT_LT(pool.in_flight_bytes(), kMiB + kMiB / 2);
  put_back(pool, item);
  EXPECT_EQ(pool.in_flight_bytes(), 0U);
  EXPECT_GE(pool.idle_bytes(), kMiB);
}

TEST(ReadPool, ReusesMemory) {
  ReadPool pool(4 * kMiB);
  ReadItem* item = pool.take();
  fill(pool, *item, 1000);
  const std::byte* memory = item->sample.buffer.data();
  put_back(pool, item);
  ReadItem* again = pool.take();
  EXPECT_EQ(again, item);
  again->sample.buffer.resize(900);
  EXPECT_EQ(again->sample.buffer.data(), memory);
}

TEST(ReadPool, StopsAtItsLimitAndIsWorthWakingForAtHalf) {
  ReadPool pool(10 * kMiB);
  std::vector<ReadItem*> items;
  while (pool.has_room()) {
    items.push_back(pool.take());
    fill(pool, *items.back(), kMiB);
  }
  EXPECT_GE(items.size(), 9U);
  EXPECT_LE(pool.in_flight_bytes(), 11 * kMiB);
  EXPECT_FALSE(pool.half_empty());
  while (!pool.half_empty()) {
    put_back(pool, items.back());
    items.pop_back();
  }
  EXPECT_LE(pool.in_flight_bytes(), 5 * kMiB);
}

// Readers that wait for their first sample are counted by the mean, so many of them do not overshoot
// together.
TEST(ReadPool, CountsAReadThatIsStillGoingOnByTheMean) {
  ReadPool pool(10 * kMiB);
  ReadItem* first = pool.take();
  fill(pool, *first, 3 * kMiB);
  std::vector<ReadItem*> reading;
  while (pool.has_room()) reading.push_back(pool.take());
  EXPECT_LE(reading.size(), 3U);
}

// One large sample among many of 10 KiB, over and over: buffers must not all grow to its size in turn.
TEST(ReadPool, AFewLargeSamplesDoNotBlowUpAllBuffers) {
  ReadPool pool(64 * kMiB);
  std::size_t most = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<ReadItem*> items;
    for (int i = 0; i < 20; ++i) {
      items.push_back(pool.take());
      fill(pool, *items.back(), i == round % 20 ? 2 * kMiB : 10 << 10);
    }
    for (ReadItem* item : items) put_back(pool, item);
    most = std::max(most, pool.in_flight_bytes() + pool.idle_bytes());
  }
  EXPECT_LT(most, 10 * kMiB);  // not 40
}

// Samples that grow in the course of an epoch: what idles is freed rather than held beside what is in use.
TEST(ReadPool, IdleMemoryCountsAgainstTheLimit) {
  ReadPool pool(8 * kMiB);
  for (std::size_t bytes = 16 << 10; bytes <= kMiB; bytes += 16 << 10) {
    for (int round = 0; round < 20; ++round) {
      std::vector<ReadItem*> items;
      while (pool.has_room()) {
        items.push_back(pool.take());
        fill(pool, *items.back(), bytes);
      }
      for (ReadItem* item : items) put_back(pool, item);
    }
    EXPECT_LT(pool.in_flight_bytes() + pool.idle_bytes(), 10 * kMiB) << bytes;
  }
}

// A buffer that met a large sample gives its pages back, and not the samples' own bytes.
TEST(ReadPool, PagesOfALargeSampleAreGivenBack) {
  ReadPool pool(64 * kMiB);
  ReadItem* item = pool.take();
  for (int i = 0; i < 100; ++i) fill(pool, *item, kMiB);
  fill(pool, *item, 5 * kMiB);
  const std::byte* memory = item->sample.buffer.data();
  std::fill(item->sample.buffer.begin(), item->sample.buffer.end(), std::byte{7});
  EXPECT_GE(pool.in_flight_bytes(), 5 * kMiB);
  put_back(pool, item);
  EXPECT_LT(pool.idle_bytes(), 3 * kMiB);
  EXPECT_EQ(pool.take(), item);
  fill(pool, *item, kMiB);
  EXPECT_EQ(item->sample.buffer.data(), memory);  // nothing was allocated
  EXPECT_EQ(item->sample.buffer.front(), std::byte{7});
}

TEST(ReadPool, ClearFreesWhatIsIdle) {
  ReadPool pool(8 * kMiB);
  ReadItem* item = pool.take();
  fill(pool, *item, kMiB);
  put_back(pool, item);
  pool.clear();
  EXPECT_LT(pool.idle_bytes(), 4096U);
}

}  // namespace
}  // namespace stoker::load
