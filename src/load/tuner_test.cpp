#include "load/tuner.hpp"

#include <gtest/gtest.h>

namespace stoker::load {
namespace {

using namespace std::chrono_literals;

TuneWindow window(int threads, double consumer_waits, double blocked_out, double blocked_in, double cpus) {
  const auto share = [](double of) { return std::chrono::nanoseconds(static_cast<std::int64_t>(of * 1e9)); };
  return {.wall = 1s,
          .consumer_waited = share(consumer_waits),
          .blocked_on_output = share(blocked_out * threads),
          .blocked_on_input = share(blocked_in * threads),
          .process_cpu = share(cpus)};
}

TEST(TuneThreads, MoreWhenTheConsumerWaitsAndCpusAreIdle) {
  EXPECT_GT(tune_threads(window(4, 0.5, 0, 0, 4), 4, 16), 4);
  EXPECT_EQ(tune_threads(window(1, 0.5, 0, 0, 1), 1, 2), 2);
}

TEST(TuneThreads, NotMoreWhenAllCpusAreBusy) { EXPECT_EQ(tune_threads(window(4, 0.5, 0, 0, 16), 4, 16), 4); }

// More workers do not make a slow disk faster.
TEST(TuneThreads, NotMoreWhenWorkersWaitForBytes) {
  EXPECT_EQ(tune_threads(window(4, 0.9, 0, 0.9, 1), 4, 16), 4);
}

TEST(TuneThreads, FewerWhenWorkersMostlyWaitForTheConsumer) {
  EXPECT_EQ(tune_threads(window(16, 0, 0.9, 0, 2), 16, 16), 2);
  EXPECT_EQ(tune_threads(window(2, 0, 0.99, 0, 1), 2, 2), 1);
}

TEST(TuneThreads, StaysWhereItFits) {
  EXPECT_EQ(tune_threads(window(4, 0.01, 0.3, 0.1, 3), 4, 16), 4);
  EXPECT_EQ(tune_threads(window(4, 0, 0, 0, 0), 4, 16), 4);
}

TEST(TuneThreads, StaysWithinWhatIsAllowedWhateverIsSeen) {
  for (const int allowed : {1, 2, 3, 16, 64}) {
    for (int threads = 0; threads <= 70; ++threads) {
      for (const double waits : {0.0, 0.5, 1.0, 5.0}) {
        for (const double blocked : {0.0, 0.6, 1.0, 3.0}) {
          const int tuned = tune_threads(window(threads, waits, blocked, 0, 0), threads, allowed);
          EXPECT_GE(tuned, 1);
          EXPECT_LE(tuned, allowed);
        }
      }
    }
  }
  EXPECT_EQ(tune_threads({}, 5, 2), 2);
}

// The consumer's pace is constant: the number must come to rest, not swing.
TEST(TuneThreads, ComesToRest) {
  constexpr double kDemand = 5.3;  // workers' worth
  int threads = 16, changes = 0;
  for (int step = 0; step < 50; ++step) {
    const double busy = std::min(1.0, kDemand / threads);
    const double waits = threads < kDemand ? 1 - threads / kDemand : 0;
    const int next =
        tune_threads(window(threads, waits, 1 - busy, 0, std::min<double>(threads, kDemand)), threads, 16);
    if (step >= 10 && next != threads) ++changes;
    threads = next;
  }
  EXPECT_EQ(changes, 0);
  EXPECT_GE(threads, 6);
  EXPECT_LE(threads, 11);
}

}  // namespace
}  // namespace stoker::load
