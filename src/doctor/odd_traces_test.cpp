// Traces with holes: the verdict is right, or unknown with a reason; never a crash, never a made-up 0.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using test::Made;
using test::made_trace;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

const Made kFew{.busy = 0.5, .main_waits = 0.48, .workers = 1, .worker_cpu = 0.95};

void each_threads(Trace& trace, const std::function<void(ThreadsSeen&)>& change) {
  for (Snapshot& s : trace.snapshots)
    for (ProcessSeen& p : s.processes)
      for (ThreadsSeen& t : p.threads) change(t);
}

TEST(OddTrace, Empty) {
  const Report report = diagnose({});
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_EQ(report.confidence, 0);
  EXPECT_THAT(report.summary, HasSubstr("empty"));
}

TEST(OddTrace, OneSnapshotTellsLimitsAndNoRates) {
  const Report report = diagnose(made_trace({.seconds = 0, .online = 8}, [](Snapshot& s, double t) {
    s.cgroups.push_back(test::quota_level("/sys/fs/cgroup/job", 2, 0.9, 1, t));
    s.host.uptime_s = 1000.0;
    s.gpus[0].energy_j = 60000.0;
    for (ProcessSeen& p : s.processes) p.affinity_cpus = 4;
  }));
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_THAT(report.causes, Contains(HasSubstr("throttled in 90 % of its periods since it began")));
  EXPECT_THAT(report.causes, Contains(HasSubstr("4 of 8 CPUs")));
  EXPECT_DOUBLE_EQ(*report.gpus[0].power_since_load_w, 60);
  EXPECT_FALSE(report.cpu.training.known());
  EXPECT_FALSE(report.stall_share.known());
  EXPECT_EQ(report.cpu.allowed.value_or(0), 2);
}

TEST(OddTrace, RowsOfOneTimeTellNoShare) {
  Trace trace = test::made_log({std::vector<double>(20, 40)});
  for (Snapshot& s : trace.snapshots) s.time_s = 5;
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::unknown) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("one and the same time"));
}

TEST(OddTrace, SharesInThePlaceOfPercentAreNoUnusedGpu) {
  std::vector<double> shares;
  for (int i = 0; i < 40; ++i) shares.push_back(i % 4 == 0 ? 1 : 0.91);
  const Report report = diagnose(test::made_log({shares}));
  EXPECT_EQ(report.verdict, Verdict::unknown) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("multiply them by 100"));
  EXPECT_EQ(report.confidence, 0);
  // Whole numbers are percent of a GPU that does next to nothing.
  EXPECT_EQ(diagnose(test::made_log({std::vector<double>(40, 0)})).verdict, Verdict::gpu_unused);
}

TEST(OddTrace, WithoutGpusTheMainThreadTells) {
  Trace trace = made_trace(kFew);
  for (Snapshot& s : trace.snapshots) s.gpus.clear();
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_NEAR(*report.stall_share, 0.48, 0.01);
  EXPECT_THAT(report.unknown, Contains(Field(&NotSeen::what, "how busy the GPU is")));
  EXPECT_LT(report.confidence, diagnose(made_trace(kFew)).confidence);
}

TEST(OddTrace, AProcessThatSleepsWithoutAGpuIsNoTraining) {
  Trace trace = made_trace({.main_waits = 0, .main_cpu = 0, .workers = 0});
  for (Snapshot& s : trace.snapshots) s.gpus.clear();
  EXPECT_EQ(diagnose(trace).verdict, Verdict::unknown) << diagnose(trace).summary;
}

TEST(OddTrace, WithoutThreadStates) {
  Trace trace = made_trace(kFew);
  each_threads(trace, [](ThreadsSeen& t) { t.tallies.clear(); });
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_THAT(report.unknown, Contains(Field(&NotSeen::what, "how long the training waits for data")));
}

TEST(OddTrace, WithoutAnyOfTheThreads) {
  Trace trace = made_trace(kFew);
  for (Snapshot& s : trace.snapshots)
    for (ProcessSeen& p : s.processes) p.threads.clear();
  const Report report = diagnose(trace);
  EXPECT_FALSE(report.stall_share.known());
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;  // by the processes' own CPU time
  EXPECT_FALSE(report.fixes.front().predicted_gain.known());
}

TEST(OddTrace, WithoutSchedstat) {
  Trace trace = made_trace(kFew);
  each_threads(trace,
               [](ThreadsSeen& t) { t.cpu_s = t.run_delay_s = Reading<double>::unknown("no schedstat"); });
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_THAT(report.unknown, Contains(Field(&NotSeen::what, "how long threads wait for a CPU")));
}

TEST(OddTrace, CallsThatNeedRoot) {
  Trace trace = made_trace(kFew);
  each_threads(trace, [](ThreadsSeen& t) {
    for (ThreadTally& tally : t.tallies) tally.call.clear(), tally.target.clear(), tally.timeout_ms.reset();
  });
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_NEAR(*report.stall_share, 0.5, 0.01);  // any sleep while the GPU idles
  EXPECT_THAT(report.unknown, Contains(Field(&NotSeen::what, "what the main thread waits for")));
}

TEST(OddTrace, NothingButProcesses) {
  Trace trace = made_trace(kFew);
  for (Snapshot& s : trace.snapshots) {
    s.gpus.clear();
    s.host = {};
    for (ProcessSeen& p : s.processes) {
      p.threads.clear();
      p.user_s = p.system_s = Reading<double>::unknown("gone");
    }
  }
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::unknown) << report.summary;
  EXPECT_FALSE(report.cpu.others.known());
}

TEST(OddTrace, CountersThatJumpBackAddNothing) {
  Trace trace = made_trace(kFew);
  for (std::size_t i = 15; i < trace.snapshots.size(); ++i)
    for (ProcessSeen& p : trace.snapshots[i].processes)
      for (ThreadsSeen& t : p.threads) t.cpu_s = *t.cpu_s - 40;
  const Report report = diagnose(trace);
  EXPECT_NEAR(*report.cpu.workers_on_cpu, 0.95 * 29 / 30, 0.01);
}

TEST(OddTrace, AReusedPidIsAnotherProcess) {
  Trace trace = made_trace(kFew);
  for (std::size_t i = 15; i < trace.snapshots.size(); ++i) {
    ProcessSeen& worker = trace.snapshots[i].processes[1];
    worker.start_ticks = 77;  // began in between, with its counters at 0
    const double age = static_cast<double>(i) - 14.5;
    worker.user_s = 0.95 * age;
    for (ThreadsSeen& t : worker.threads) t.cpu_s = t.main ? 0.95 * age : 0;
  }
  EXPECT_NEAR(*diagnose(trace).cpu.workers_on_cpu, 0.95, 0.02);
}

TEST(OddTrace, WorkersThatStartAnewEachEpoch) {
  Trace trace = made_trace({.busy = 0.5, .main_waits = 0.48, .workers = 2, .worker_cpu = 0.9});
  for (std::size_t i = 0; i < trace.snapshots.size(); ++i)
    for (std::size_t w = 1; w <= 2; ++w) {
      ProcessSeen& worker = trace.snapshots[i].processes[w];
      const std::size_t epoch = i / 5;
      worker.pid += static_cast<std::int64_t>(10 * epoch);
      worker.start_ticks = 10 * (epoch + 1);
      const double age = static_cast<double>(i % 5) + 1;
      worker.user_s = 0.9 * age;
      for (ThreadsSeen& t : worker.threads) t.cpu_s = t.main ? 0.9 * age : 0;
    }
  const Report report = diagnose(trace);
  EXPECT_EQ(report.cpu.workers.value_or(0), 2);
  EXPECT_NEAR(*report.cpu.workers_on_cpu, 0.9, 0.03);
}

TEST(OddTrace, TheTrainingEndsWhileItIsWatched) {
  Trace trace = made_trace(kFew);
  for (std::size_t i = 20; i < trace.snapshots.size(); ++i) trace.snapshots[i].processes.clear();
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_THAT(report.causes, Contains(HasSubstr("ended while it was watched")));
}

TEST(OddTrace, ShortTracesAreLessSure) {
  Made made = kFew;
  made.seconds = 5;
  EXPECT_LT(diagnose(made_trace(made)).confidence, diagnose(made_trace(kFew)).confidence);
}

TEST(OddTrace, NearAThresholdIsLessSure) {
  Made near{.busy = 0.915, .main_waits = 0.08, .worker_cpu = 0.3, .worker_idle = 0.7};
  Made far = near;
  near.busy = 0.925;
  far.busy = 0.99;
  EXPECT_LT(diagnose(made_trace(near)).confidence, diagnose(made_trace(far)).confidence);
}

TEST(OddTrace, StolenTimeIsSaid) {
  const Report report = diagnose(made_trace(kFew, [](Snapshot& s, double t) {
    s.host.cpu = CpuTimes{.user_s = t, .idle_s = 0.8 * t, .steal_s = 0.2 * t};
  }));
  EXPECT_THAT(report.causes, Contains(HasSubstr("hypervisor takes 10 %")));
}

TEST(OddTrace, ImagesAsToldAndByBatches) {
  EXPECT_EQ(*diagnose(made_trace(kFew), {.images_per_s = 250}).images_per_s, 250);
  Trace trace = made_trace(kFew);
  for (Snapshot& s : trace.snapshots)
    for (GpuSample& sample : s.gpus[0].samples)
      sample.percent = std::fmod(sample.time_s + 1e-6, 2) < 1 ? 100 : 0;
  EXPECT_NEAR(*diagnose(trace, {.batch_size = 64}).images_per_s, 32, 1);
}

TEST(OddTrace, PriceOfTheStall) {
  const Report report = diagnose(made_trace(kFew), {.price_per_hour = 3, .currency = "EUR"});
  EXPECT_EQ(report.cost->currency, "EUR");
  EXPECT_NEAR(*report.cost->lost_per_hour, 3 * 0.5, 0.03);
}

// Every number a wild one: whatever comes out, nothing crashes, and shares stay shares.
TEST(OddTrace, WildNumbers) {
  std::mt19937 random(11);
  const auto wild = [&random]() -> double {
    constexpr double kValues[] = {0, -1, 1e300, -1e300, 1e-300, 0.5, 101, 4294967295.0, 3};
    const auto which = random() % 10;
    return which == 9 ? std::nan("") : kValues[which];
  };
  for (int round = 0; round < 200; ++round) {
    const Trace trace = made_trace({.seconds = 6, .gpus = 2}, [&](Snapshot& s, double t) {
      s.time_s = random() % 3 == 0 ? wild() : s.time_s;
      s.host.cpu =
          CpuTimes{.user_s = wild(), .system_s = wild(), .idle_s = wild(), .iowait_s = 0, .steal_s = wild()};
      s.host.online_cpus = static_cast<int>(random() % 5) - 2;
      s.cgroups.push_back(test::quota_level("/q", wild(), 0.5, 0.5, t));
      for (GpuSeen& gpu : s.gpus) {
        gpu.util_percent = wild();
        gpu.power_w = wild();
        gpu.power_limit_w = wild();
        gpu.sm_clock_mhz = wild();
        gpu.sample_interval_s = wild();
        for (GpuSample& sample : gpu.samples) sample = {.time_s = wild(), .percent = wild()};
      }
      if (round % 2 == 0)
        s.loaders.push_back({.pid = 100,
                             .threads = 2147483647,
                             .images = random(),
                             .stages = {{.name = "consume", .blocked_on_input_s = wild()}}});
      for (ProcessSeen& p : s.processes) {
        p.user_s = wild();
        p.affinity_cpus = static_cast<int>(random() % 4) - 1;
        for (ThreadsSeen& threads : p.threads) {
          threads.cpu_s = wild();
          threads.run_delay_s = wild();
        }
      }
    });
    const Report report =
        diagnose(trace, {.batch_size = wild(), .images_per_s = wild(), .price_per_hour = wild()});
    EXPECT_FALSE(report.summary.empty());
    EXPECT_GE(report.confidence, 0);
    EXPECT_LE(report.confidence, 1);
    if (report.stall_share) {
      EXPECT_GE(*report.stall_share, 0);
      EXPECT_LE(*report.stall_share, 1);
    }
  }
}

}  // namespace

}  // namespace stoker::doctor
