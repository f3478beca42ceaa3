// Each verdict from a made trace, with its first fix and its predicted gain by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using test::Made;
using test::made_trace;
using ::testing::HasSubstr;
using ::testing::Not;

double soft(double consumer, double producer) {
  return std::pow(std::pow(consumer, -8) + std::pow(producer, -8), -1.0 / 8);
}

TEST(Verdict, TooFewWorkers) {
  // One worker of 2 CPUs, the GPU idle half of the time.
  const Report report =
      diagnose(made_trace({.busy = 0.5, .main_waits = 0.48, .workers = 1, .worker_cpu = 0.95}));
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_NEAR(*report.stall_share, 0.5, 0.01);  // all that is idle: the rest of it takes the batches
  ASSERT_FALSE(report.fixes.empty());
  const Fix& fix = report.fixes.front();
  EXPECT_THAT(fix.what, HasSubstr("1 → 2"));
  EXPECT_EQ(fix.how.front().tool, "PyTorch DataLoader");
  EXPECT_THAT(fix.how.front().text, HasSubstr("num_workers=2"));
  EXPECT_EQ(fix.label, GainLabel::estimate);
  // L = 1/.5; P(2) = min(2/.95, 2/(.95 + .02)).
  EXPECT_NEAR(*fix.predicted_gain, soft(1 / 0.5, 2 / 0.97) - 1, 0.01);
  EXPECT_GT(report.confidence, 0.5);
}

// Few samples cannot tell waiting from idling; many can.
TEST(Verdict, TheStallIsAllIdleTimeUnlessTheSamplesTellOtherwise) {
  EXPECT_NEAR(*diagnose(made_trace({.busy = 0.5, .main_waits = 0.47, .workers = 1})).stall_share, 0.5, 0.001);
  EXPECT_NEAR(*diagnose(made_trace({.busy = 0.5, .main_waits = 0.4, .workers = 1})).stall_share, 0.4, 0.01);
  EXPECT_NEAR(*diagnose(made_trace({.busy = 0.5, .main_waits = 0.6, .workers = 1})).stall_share, 0.5, 0.001);
}

// The main thread is on a CPU for as long as the GPU computes: it waits there, and gives way where it must.
TEST(Verdict, ASynchroniseThatSpinsNeedsItsFairShareAtMost) {
  const Report report = diagnose(
      made_trace({.busy = 0.4, .main_waits = 0.6, .main_cpu = 0.4, .workers = 1, .worker_cpu = 0.95}));
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  ASSERT_FALSE(report.fixes.empty());
  // L = 1/.4; P(2) = min(2/.95, 2/(.95 + .4 · 2/3)).
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(1 / 0.4, 2 / (0.95 + 0.4 * 2 / 3)) - 1, 0.01);
}

TEST(Verdict, GpuBound) {
  const Report report =
      diagnose(made_trace({.busy = 0.97, .main_waits = 0.02, .worker_cpu = 0.4, .worker_idle = 0.6}));
  EXPECT_EQ(report.verdict, Verdict::gpu_bound) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("busy 97 %"));
}

TEST(Verdict, GpuBoundWhereTheMainThreadHardlyWaits) {
  const Report report =
      diagnose(made_trace({.busy = 0.85, .main_waits = 0.03, .worker_cpu = 0.4, .worker_idle = 0.6}));
  EXPECT_EQ(report.verdict, Verdict::gpu_bound) << report.summary;
}

TEST(Verdict, CpuBound) {
  const Report report =
      diagnose(made_trace({.busy = 0.4, .main_waits = 0.55, .worker_cpu = 0.93, .worker_delay = 0.05}));
  EXPECT_EQ(report.verdict, Verdict::cpu_bound) << report.summary;
  EXPECT_EQ(report.fixes.front().label, GainLabel::up_to);  // nothing was probed
  EXPECT_NEAR(*report.fixes.front().predicted_gain, 1 / (1 - 0.55) - 1, 0.02);
}

// What smaller images save only a decode tells; without sight of a GPU nothing bounds it.
TEST(Verdict, WithoutGpuAndProbeTheGainOfSmallerImagesIsNotKnown) {
  Trace trace = made_trace({.main_waits = 0.89, .worker_cpu = 0.93, .worker_delay = 0.05});
  for (Snapshot& s : trace.snapshots) s.gpus.clear();
  const Report report = diagnose(trace);
  ASSERT_EQ(report.verdict, Verdict::cpu_bound) << report.summary;
  EXPECT_FALSE(report.fixes.front().predicted_gain.known());
  EXPECT_THAT(report.fixes.front().predicted_gain.why(), HasSubstr("--probe tells"));
  EXPECT_THAT(report.fixes.front().what, HasSubstr("--probe tells"));
  for (const Fix& fix : report.fixes) EXPECT_FALSE(fix.predicted_gain.known()) << fix.what;
  EXPECT_THAT(report.summary, Not(HasSubstr("times")));
}

TEST(Verdict, NearAStallOfOneNoGainIsClaimed) {
  const Report report = diagnose(
      made_trace({.busy = 0.001, .main_waits = 1, .main_cpu = 0, .worker_cpu = 0.9, .worker_delay = 0.1}));
  ASSERT_EQ(report.verdict, Verdict::cpu_bound) << report.summary;
  for (const Fix& fix : report.fixes) EXPECT_LT(fix.predicted_gain.value_or(0), 20) << fix.what;
  EXPECT_THAT(report.fixes.front().predicted_gain.why(), HasSubstr("nearly all the time"));
}

TEST(Verdict, CpuBoundWithAProbeIsAnEstimate) {
  Trace trace = made_trace(
      {.busy = 0.4, .main_waits = 0.5, .worker_cpu = 0.95, .worker_delay = 0.05, .read_chars = 5e6});
  trace.probe.emplace();
  trace.probe->mean_file_bytes = 1e5;  // 10 MB/s: 100 images/s
  trace.probe->decode_ms = 18;
  trace.probe->decode_small_ms = 8;
  trace.probe->stoker_ms = 6;
  const Report report = diagnose(trace);
  ASSERT_EQ(report.verdict, Verdict::cpu_bound) << report.summary;
  EXPECT_NEAR(*report.images_per_s, 100, 1);
  // e = 1.9 less 100 × 10 ms = 0.9; L = 2, P = min(2/.9, 2/.92).
  EXPECT_EQ(report.fixes.front().label, GainLabel::estimate);
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(2, 2 / 0.92) - 1, 0.02);
  EXPECT_NEAR(*report.fixes.front().predicted_images_per_s, 100 * soft(2, 2 / 0.92), 2);
}

TEST(Verdict, TooManyWorkersAreSaid) {
  const Report report = diagnose(
      made_trace({.busy = 0.4, .main_waits = 0.5, .workers = 8, .worker_cpu = 0.24, .worker_delay = 0.74}));
  EXPECT_EQ(report.verdict, Verdict::cpu_bound) << report.summary;
  EXPECT_THAT(report.causes, ::testing::Contains(HasSubstr("8 workers")));
}

TEST(Verdict, QuotaThrottled) {
  const Made made{
      .busy = 0.25, .main_waits = 0.5, .main_delay = 0.2, .worker_cpu = 0.23, .worker_delay = 0.75};
  const Report report = diagnose(made_trace(made, [](Snapshot& s, double t) {
    s.cgroups.push_back(test::quota_level("/sys/fs/cgroup/job", 0.5, 0.97, 1.4, t));
  }));
  EXPECT_EQ(report.verdict, Verdict::quota_throttled) << report.summary;
  EXPECT_THAT(report.summary,
              HasSubstr("both workers are throttled by a CPU quota of 0.5 CPUs (cgroup /sys/fs/cgroup/job)"));
  EXPECT_NEAR(*report.stall_share, 0.7, 0.01);  // the run-queue wait of the main thread is stall too
  EXPECT_EQ(report.cpu.allowed.value_or(0), 0.5);
  EXPECT_THAT(report.fixes.front().how.front().text, HasSubstr("cpu.max"));
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(1 / 0.3, 2 / 0.48) - 1, 0.02);
}

TEST(Verdict, OfSeveralQuotasTheOneThatThrottles) {
  const Made made{
      .online = 8, .busy = 0.25, .main_waits = 0.7, .workers = 4, .worker_cpu = 0.23, .worker_delay = 0.75};
  const Report report = diagnose(made_trace(made, [](Snapshot& s, double t) {
    s.cgroups.push_back(test::quota_level("/sys/fs/cgroup/a/b", 4, 0, 0, t));
    s.cgroups.push_back(test::quota_level("/sys/fs/cgroup/a", 1, 0.9, 2, t));
  }));
  EXPECT_EQ(report.verdict, Verdict::quota_throttled);
  EXPECT_THAT(report.summary, HasSubstr("(cgroup /sys/fs/cgroup/a)"));
  EXPECT_THAT(report.fixes.front().what, HasSubstr("the next is 4 CPUs (cgroup /sys/fs/cgroup/a/b)"));
  // Four workers need .92 CPUs for today's rate, and may have 4.
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(1 / 0.3, 4 / 0.94) - 1, 0.03);
}

TEST(Verdict, AQuotaThatHardlyThrottlesIsNotTheCause) {
  const Report report = diagnose(made_trace(
      {.online = 8, .busy = 0.5, .main_waits = 0.48, .worker_cpu = 0.95}, [](Snapshot& s, double t) {
        s.cgroups.push_back(test::quota_level("/sys/fs/cgroup/job", 4, 0.1, 0.1, t));
      }));
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_THAT(report.causes, ::testing::Contains(HasSubstr("throttled in 10 %")));
}

TEST(Verdict, NarrowAffinity) {
  const Made made{.online = 8,
                  .busy = 0.5,
                  .main_waits = 0.45,
                  .main_delay = 0.05,
                  .worker_cpu = 0.48,
                  .worker_delay = 0.5};
  const Report report = diagnose(made_trace(made, [](Snapshot& s, double) {
    for (ProcessSeen& process : s.processes) process.affinity_cpus = 1;
  }));
  EXPECT_EQ(report.verdict, Verdict::narrow_affinity) << report.summary;
  EXPECT_EQ(report.cpu.allowed.value_or(0), 1);
  EXPECT_THAT(report.fixes.front().how.front().text, HasSubstr("taskset -acp 0-7 100"));
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(2, 2 / 0.96) - 1, 0.02);
}

TEST(Verdict, NoisyNeighbour) {
  const Made made{.busy = 0.5,
                  .main_waits = 0.4,
                  .main_delay = 0.1,
                  .worker_cpu = 0.5,
                  .worker_delay = 0.45,
                  .others = 0.95};
  const Report report = diagnose(made_trace(made));
  EXPECT_EQ(report.verdict, Verdict::noisy_neighbour) << report.summary;
  EXPECT_NEAR(*report.cpu.others, 0.95, 0.01);
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(2, 2 / 1.02) - 1, 0.02);
}

TEST(Verdict, Oversubscribed) {
  const Made made{.busy = 0.5,
                  .main_waits = 0.45,
                  .worker_cpu = 0.4,
                  .worker_delay = 0.4,
                  .worker_idle = 0.2,
                  .more_threads = 31,
                  .more_threads_cpu = 0.55,
                  .more_threads_delay = 9};
  const Report report = diagnose(made_trace(made));
  EXPECT_EQ(report.verdict, Verdict::oversubscribed) << report.summary;
  EXPECT_FALSE(report.fixes.front().predicted_gain.known());
  EXPECT_THAT(report.fixes.front().predicted_gain.why(), HasSubstr("at least 0"));
  EXPECT_THAT(report.fixes.front().how.front().text, HasSubstr("set_num_threads(1)"));
}

TEST(Verdict, IdleThreadsOfAWorkerAreNoOversubscription) {
  const Made made{.busy = 0.4,
                  .main_waits = 0.55,
                  .workers = 4,
                  .worker_cpu = 0.48,
                  .worker_delay = 0.5,
                  .more_threads = 31};
  EXPECT_EQ(diagnose(made_trace(made)).verdict, Verdict::cpu_bound);
}

TEST(Verdict, MainThread) {
  const Made made{.busy = 0.3, .main_waits = 0.05, .main_cpu = 0.62, .worker_cpu = 0.3, .worker_idle = 0.7};
  const Report report = diagnose(made_trace(made));
  EXPECT_EQ(report.verdict, Verdict::main_thread) << report.summary;
  EXPECT_EQ(report.fixes.front().label, GainLabel::up_to);
  EXPECT_NEAR(*report.fixes.front().predicted_gain, soft(1 / 0.3, 2 / 0.6) - 1, 0.02);
}

TEST(Verdict, MainThreadWithoutWorkers) {
  const Report report = diagnose(made_trace({.busy = 0.3, .main_waits = 0, .main_cpu = 0.7, .workers = 0}));
  EXPECT_EQ(report.verdict, Verdict::main_thread) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("there are no workers"));
  EXPECT_THAT(report.fixes.front().how.front().text, HasSubstr("num_workers=2"));
}

TEST(Verdict, HangOfAStoppedWorker) {
  const Report report = diagnose(made_trace({.busy = 0,
                                             .main_waits = 1,
                                             .main_cpu = 0,
                                             .worker_cpu = 0,
                                             .worker_idle = 0.5,
                                             .worker_stopped = 0.5}));
  EXPECT_EQ(report.verdict, Verdict::hang) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("stopped"));
  EXPECT_FALSE(report.fixes.front().predicted_gain.known());
}

TEST(Verdict, HangWhereNothingMoves) {
  const Report report =
      diagnose(made_trace({.busy = 0, .main_waits = 1, .main_cpu = 0, .worker_cpu = 0, .worker_idle = 1}));
  EXPECT_EQ(report.verdict, Verdict::hang) << report.summary;
}

TEST(Verdict, HangInTheLastThirdAlone) {
  Trace trace = made_trace({.busy = 0.9, .main_waits = 0.1, .worker_cpu = 0.6, .worker_idle = 0.4});
  for (std::size_t i = 22; i < trace.snapshots.size(); ++i) {
    ProcessSeen& worker = trace.snapshots[i].processes[1];
    worker.threads[0].tallies = {test::tally('T', "", 1)};
  }
  EXPECT_EQ(diagnose(trace).verdict, Verdict::hang);
}

}  // namespace

}  // namespace stoker::doctor
