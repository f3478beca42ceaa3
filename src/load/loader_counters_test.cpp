// The stage counters tell where time goes: what was busy, what waited for input, what waited for the
// consumer.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>

#include "base/cpus.hpp"
#include "load/fixtures.hpp"
#include "load/process_probe.hpp"

namespace stoker::load::test {
namespace {

using namespace std::chrono_literals;

const StageCounters& stage(const Loader& loader, Stage which) {
  return loader.counters().stages[static_cast<std::size_t>(which)];
}
double seconds(const std::atomic<std::uint64_t>& ns) { return static_cast<double>(ns.load()) * 1e-9; }

TEST(LoaderCounters, CountImagesBatchesAndBytes) {
  const auto records = std::make_shared<MemoryReader>(40);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 40; ++i) bytes += records->bytes(i).size();
  Loader loader(records, small_options());
  see_epoch(loader);
  EXPECT_EQ(loader.counters().images, 40U);
  EXPECT_EQ(loader.counters().batches, 10U);
  EXPECT_EQ(loader.counters().bad_samples, 0U);
  EXPECT_EQ(loader.counters().threads, 2U);
  EXPECT_EQ(stage(loader, Stage::consume).items, 10U);
  EXPECT_EQ(stage(loader, Stage::consume).bytes, 40U * 16 * 16 * 3);
  // Threads tell a little late, and the next epoch is under way too.
  EXPECT_TRUE(eventually([&] { return stage(loader, Stage::decode).items >= 40U; }));
  EXPECT_TRUE(eventually([&] { return stage(loader, Stage::decode).bytes >= bytes; }));
  EXPECT_TRUE(eventually([&] { return stage(loader, Stage::read).bytes >= bytes; }));
  EXPECT_GT(stage(loader, Stage::decode).busy_ns, 0U);
  EXPECT_GT(stage(loader, Stage::transform).busy_ns, 0U);
  EXPECT_GT(stage(loader, Stage::read).busy_ns, 0U);
}

TEST(LoaderCounters, ASlowConsumerBlocksTheWorkersOnTheirOutput) {
  Loader loader(std::make_shared<MemoryReader>(400), small_options());
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < 10; ++step) {
    ASSERT_TRUE(loader.next());
    std::this_thread::sleep_for(60ms);
  }
  ASSERT_TRUE(loader.next());
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GT(seconds(stage(loader, Stage::decode).blocked_on_output_ns),
            wall);  // two workers, most of the time
  EXPECT_GT(seconds(stage(loader, Stage::consume).busy_ns), 0.55);
  EXPECT_LT(seconds(stage(loader, Stage::consume).blocked_on_input_ns), wall / 2);
  EXPECT_GT(stage(loader, Stage::consume).queue_depth, 0U);
}

TEST(LoaderCounters, ASlowStoreBlocksTheWorkersOnTheirInput) {
  const auto records = std::make_shared<MemoryReader>(400);
  records->set_delay([](std::size_t) { return 10ms; });
  Loader loader(records, small_options());
  const auto begin = std::chrono::steady_clock::now();
  for (int step = 0; step < 15; ++step) ASSERT_TRUE(loader.next());
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GT(seconds(stage(loader, Stage::read).busy_ns), wall);  // two readers
  EXPECT_GT(seconds(stage(loader, Stage::decode).blocked_on_input_ns), wall);
  EXPECT_LT(seconds(stage(loader, Stage::decode).blocked_on_output_ns), wall / 2);
  EXPECT_GT(seconds(stage(loader, Stage::consume).blocked_on_input_ns), wall / 2);
}

// Several reads are in flight: 8 readers hide most of a store's latency.
TEST(LoaderCounters, ManyReadersHideLatency) {
  const auto records = std::make_shared<MemoryReader>(160);
  records->set_delay([](std::size_t) { return 10ms; });
  LoaderOptions options = small_options();
  options.read_threads = 16;
  Loader loader(records, options);
  const auto begin = std::chrono::steady_clock::now();
  see_epoch(loader);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);  // one after the other: 1.6 s
}

// A consumer that came to a stop is seen while it stands still: waiting threads tell what they wait for.
TEST(LoaderCounters, AreFreshWhileNothingMoves) {
  Loader loader(std::make_shared<MemoryReader>(400), small_options());
  ASSERT_TRUE(loader.next());
  std::this_thread::sleep_for(900ms);
  EXPECT_GT(seconds(stage(loader, Stage::decode).blocked_on_output_ns), 0.5);
}

TEST(LoaderThreads, TunedWithinTheCpusThatMayBeUsed) {
  LoaderOptions options = small_options();
  options.threads = 0;
  Loader loader(std::make_shared<MemoryReader>(400), options);
  EXPECT_GE(loader.threads(), 1);
  EXPECT_LE(loader.threads(), allowed_cpus());
}

// Workers that mostly wait for the consumer are put to rest.
TEST(LoaderThreads, ASlowConsumerNeedsFew) {
  if (allowed_cpus() < 2) GTEST_SKIP() << "one CPU may be used: there is nothing to tune";
  LoaderOptions options = small_options();
  options.threads = 0;
  Loader loader(std::make_shared<MemoryReader>(400), options);
  EXPECT_EQ(loader.threads(), allowed_cpus());
  for (int step = 0; step < 40 && loader.threads() > 1; ++step) {
    ASSERT_TRUE(loader.next());
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(loader.threads(), 1);
  EXPECT_EQ(loader.counters().threads, 1U);
  EXPECT_TRUE(loader.next());  // and one goes on alone
}

TEST(LoaderThreads, AGivenNumberIsKept) {
  LoaderOptions options = small_options();
  options.threads = 5;
  Loader loader(std::make_shared<MemoryReader>(400), options);
  for (int step = 0; step < 12; ++step) {
    loader.next();
    std::this_thread::sleep_for(30ms);
  }
  EXPECT_EQ(loader.threads(), 5);
}

}  // namespace
}  // namespace stoker::load::test
