// Programs that are no training get no verdict; trainings that look like them are not lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using test::Made;
using test::made_trace;
using test::tally;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

// One process on a machine where no GPU is seen. `cpu`: of its main thread; `tallies`: of the rest of its
// time.
Trace lone_process(const std::string& command, double cpu, std::vector<ThreadTally> tallies,
                   const std::function<void(Snapshot&, double)>& change = {}) {
  return made_trace({.main_waits = 0, .main_cpu = cpu, .workers = 0}, [&](Snapshot& s, double t) {
    s.gpus.clear();
    ProcessSeen& process = s.processes[0];
    process.name = command.substr(0, command.find(' '));
    process.command = command;
    process.threads[0].tallies = tallies;
    if (cpu > 0) process.threads[0].tallies.push_back(tally('R', "", cpu));
    process.io = ProcessIo{};
    if (change) change(s, t);
  });
}

// Both, by everybody together.
void all_cpus_busy(Snapshot& s, double t) {
  CpuTimes times;
  times.user_s = 2 * t;
  s.host.cpu = times;
}

void reads_files(Snapshot& s, double t) {
  ProcessIo io;
  io.read_chars = static_cast<std::uint64_t>(5e6 * t);
  s.processes[0].io = io;
}

void expect_no_training(const Trace& trace, const char* says) {
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::unknown) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("No training is to be seen: "));
  EXPECT_THAT(report.summary, HasSubstr(says));
  EXPECT_FALSE(report.stall_share.known());
  EXPECT_TRUE(report.fixes.empty());
  EXPECT_THAT(report.evidence, Not(Contains(Field(&Evidence::what, "training waits for data"))));
}

TEST(NoTraining, AServerThatListens) {
  expect_no_training(lone_process("python3 -m http.server", 0, {tally('S', "poll", 1, "socket", 500)}),
                     "waits at a socket 100 %");
  expect_no_training(lone_process("python3 server.py", 0, {tally('S', "accept4", 1, "socket")}),
                     "waits at a socket 100 %");
}

TEST(NoTraining, AnInitThatWaits) {
  expect_no_training(lone_process("init", 0, {tally('S', "wait4", 1)}), "next to nothing");
}

TEST(NoTraining, AShellThatStartsPrograms) {
  expect_no_training(lone_process("bash -c loop", 0.3, {tally('S', "wait4", 0.7)}), "0.3 CPUs");
  expect_no_training(lone_process("bash -c loop", 0.9, {tally('S', "wait4", 0.1)}), "computes 90 %");
}

TEST(NoTraining, AnEventThatIsWaitedForOnABusyMachine) {
  expect_no_training(lone_process("python3 wait.py", 0, {tally('S', "futex", 1)},
                                  [](Snapshot& s, double t) { all_cpus_busy(s, t); }),
                     "sleeps 100 %");
}

TEST(NoTraining, AForkWhoseSidesBothSleep) {
  expect_no_training(lone_process("python3 fork.py", 0, {tally('S', "clock_nanosleep", 1)},
                                  [](Snapshot& s, double) {
                                    ProcessSeen child = s.processes[0];
                                    child.pid = 101;
                                    child.parent = 100;
                                    s.processes.push_back(child);
                                  }),
                     "next to nothing");
}

TEST(NoTraining, ACompilerReadsAndWorks) {
  expect_no_training(lone_process("cc1plus big.cpp", 1, {}, [](Snapshot& s, double t) { reads_files(s, t); }),
                     "reads files, as many programs do");
}

// It is at a socket all the time too, but bytes come in and are worked on.
TEST(Training, ThatWaitsForARemoteStore) {
  const Report report = diagnose(lone_process(
      "python3 train.py", 0.1, {tally('S', "recvfrom", 0.9, "socket")}, [](Snapshot& s, double t) {
        s.networks.push_back({"eth0", static_cast<std::uint64_t>(8e6 * t), 0, {}});
      }));
  EXPECT_EQ(report.verdict, Verdict::io_wait) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("held up: the main thread waits at a network socket 90 %"));
  EXPECT_THAT(report.causes, Contains(HasSubstr("taken for a training")));
  EXPECT_LT(report.confidence, 0.4);
  ASSERT_FALSE(report.fixes.empty());
  EXPECT_THAT(report.fixes.front().what, HasSubstr("workers that load"));
}

TEST(Training, OfAGpuWaitsForARemoteStore) {
  const Report report = diagnose(
      made_trace({.busy = 0.1, .main_waits = 0, .main_cpu = 0.05, .workers = 0}, [](Snapshot& s, double) {
        s.processes[0].threads[0].tallies = {tally('S', "recvfrom", 0.85, "socket"), tally('R', "", 0.05)};
      }));
  EXPECT_EQ(report.verdict, Verdict::io_wait) << report.summary;
}

TEST(Training, ThatLoadsItsOwnFiles) {
  const Report report =
      diagnose(lone_process("python3 train.py", 0.95, {}, [](Snapshot& s, double t) { reads_files(s, t); }));
  EXPECT_EQ(report.verdict, Verdict::main_thread) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("The main thread is the limit"));
  EXPECT_THAT(report.summary, Not(HasSubstr("waits for data")));
}

TEST(Training, WhoseWorkersHaveTheLoadersNames) {
  Trace trace = made_trace({.main_waits = 0.1, .main_cpu = 0, .worker_cpu = 0, .worker_idle = 1});
  for (Snapshot& s : trace.snapshots) s.gpus.clear();
  EXPECT_NE(diagnose(trace).verdict, Verdict::unknown) << diagnose(trace).summary;
}

TEST(Training, WithoutWorkersUnderLoadWaitsForACpu) {
  const Report report = diagnose(
      lone_process("python3 train.py --workers 0", 0.33, {tally('R', "", 0.65)}, [](Snapshot& s, double t) {
        s.processes[0].threads[0].run_delay_s = 0.65 * t;
        reads_files(s, t);
        all_cpus_busy(s, t);
      }));
  EXPECT_EQ(report.verdict, Verdict::noisy_neighbour) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("the main thread waits for one 65 % of the time"));
  EXPECT_THAT(report.summary, Not(HasSubstr("workers")));
}

// Without a GPU in sight, a main thread that works a third of the time waits for nothing that we see.
TEST(Training, ThatNeitherWaitsNorWorksMuchIsNotDataBound) {
  Trace trace =
      made_trace({.main_waits = 0.02, .main_cpu = 0.3, .workers = 1, .worker_cpu = 0.3, .worker_idle = 0.7});
  for (Snapshot& s : trace.snapshots) s.gpus.clear();
  EXPECT_EQ(diagnose(trace).verdict, Verdict::gpu_bound) << diagnose(trace).summary;
}

}  // namespace

}  // namespace stoker::doctor
