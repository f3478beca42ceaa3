#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using ::testing::HasSubstr;

// A training with Stoker's loader: four threads whose time goes as told, 320 images a second.
struct Loader {
  double waited = 0.4;                 // by the consumer
  double no_input = 0, no_output = 0;  // shares of a thread
  int online = 16;
  double busy = 0.6;
};

Trace made(const Loader& loader) {
  const double work = 1 - loader.no_input - loader.no_output;
  return test::made_trace(
      {.online = loader.online, .busy = loader.busy, .main_waits = 0.2, .workers = 0},
      [=](Snapshot& s, double t) {
        ProcessSeen& main = s.processes[0];
        main.name = "stoker";
        main.user_s = (0.02 + 4 * work) * t;
        s.host.cpu = CpuTimes{.user_s = (0.02 + 4 * work) * t, .idle_s = (loader.online - 4 * work) * t};
        main.threads.push_back(
            test::threads("stoker-decode", false, 4, 4 * work * t, 0,
                          {test::tally('R', "", work), test::tally('S', "futex", 1 - work)}));
        LoaderSeen seen;
        seen.pid = 100;
        seen.threads = 4;
        seen.images = static_cast<std::uint64_t>(320 * t);
        seen.stages = {{.name = "decode",
                        .busy_s = 4 * work * t,
                        .blocked_on_input_s = 4 * loader.no_input * t,
                        .blocked_on_output_s = 4 * loader.no_output * t},
                       {.name = "consume", .busy_s = 0.6 * t, .blocked_on_input_s = loader.waited * t}};
        s.loaders.push_back(seen);
      });
}

TEST(LoaderCounters, TheStallIsCountedNotSampled) {
  const Report report = diagnose(made({}));
  EXPECT_NEAR(*report.stall_share, 0.4, 0.01);  // samples of the main thread say .2
  EXPECT_NEAR(*report.images_per_s, 320, 1);
  EXPECT_EQ(report.cpu.workers.value_or(0), 4);
}

TEST(LoaderCounters, TooFewThreads) {
  const Report report = diagnose(made({}));
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_EQ(report.fixes.front().how.front().tool, "Stoker");
  EXPECT_NEAR(*report.fixes.front().predicted_images_per_s, 320 / 0.6, 12);
}

TEST(LoaderCounters, AllCpusBusy) {
  const Report report = diagnose(made({.online = 4}));
  EXPECT_EQ(report.verdict, Verdict::cpu_bound) << report.summary;
}

TEST(LoaderCounters, ThreadsThatWaitForBytes) {
  const Report report = diagnose(made({.no_input = 0.7}));
  EXPECT_NEAR(*report.cpu.workers_in_io, 0.7, 0.01);
  EXPECT_EQ(report.verdict, Verdict::io_wait) << report.summary;
}

TEST(LoaderCounters, ThreadsWithNowhereToPutAreNotTheLimit) {
  const Report report = diagnose(made({.waited = 0.01, .no_output = 0.8, .busy = 0.98}));
  EXPECT_EQ(report.verdict, Verdict::gpu_bound) << report.summary;
  EXPECT_NEAR(*report.cpu.workers_idle, 0.8, 0.01);
}

TEST(LoaderCounters, AnotherLoadersCountersInItsPlace) {
  Trace trace = made({});
  // The process began anew: its counters fell.
  for (std::size_t i = 15; i < trace.snapshots.size(); ++i) trace.snapshots[i].loaders[0].images -= 16000;
  EXPECT_NEAR(*diagnose(trace).images_per_s, 320 * 29.0 / 30, 4);
}

}  // namespace

}  // namespace stoker::doctor
