// What the GPUs alone show: unused ones, and what holds back busy ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using test::Made;
using test::made_log;
using test::made_trace;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using Curves = std::vector<std::vector<double>>;

Curves steady(std::size_t gpus, double percent, std::size_t samples = 30) {
  return Curves(gpus, std::vector<double>(samples, percent));
}

Trace changed(Trace trace, const std::function<void(GpuSeen&)>& change) {
  for (Snapshot& snapshot : trace.snapshots)
    for (GpuSeen& gpu : snapshot.gpus) change(gpu);
  return trace;
}

void hold(GpuSeen& gpu, std::int64_t pid, bool here = true) {
  GpuProcess process;
  process.pid = pid;
  process.here = here;
  process.name = "python";
  gpu.processes = std::vector<GpuProcess>{process};
}

const Made kBusy{.gpus = 8, .busy = 0.97, .main_waits = 0.02, .worker_cpu = 0.3, .worker_idle = 0.7};

// Eight GPUs of which the training uses the first two.
Trace two_of_eight(Made made = kBusy) {
  return changed(made_trace(made), [](GpuSeen& gpu) {
    gpu.processes = std::vector<GpuProcess>{};
    gpu.memory_used_bytes = gpu.index < 2 ? 20ULL << 30 : 0;
    if (gpu.index < 2) {
      hold(gpu, 100);
      return;
    }
    gpu.util_percent = 0.0;
    for (GpuSample& sample : gpu.samples) sample.percent = 0;
  });
}

TEST(Unused, SixOfEightWithWhatTheyCost) {
  const Report report = diagnose(two_of_eight(), {.price_per_hour = 32});
  EXPECT_EQ(report.verdict, Verdict::gpu_unused) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("6 of 8 GPUs are unused"));
  ASSERT_TRUE(report.cost.has_value());
  EXPECT_NEAR(*report.cost->lost_per_hour, 32 * (0.75 + 0.25 * *report.stall_share), 0.01);
  EXPECT_EQ(report.fixes.front().label, GainLabel::up_to);
  EXPECT_NEAR(*report.fixes.front().predicted_gain, 3, 1e-9);
}

TEST(Unused, CudaVisibleDevicesIsNamed) {
  Trace trace = two_of_eight();
  for (Snapshot& s : trace.snapshots) s.processes[0].cuda_visible_devices = std::string("0,1");
  EXPECT_THAT(diagnose(trace).causes, Contains(HasSubstr("CUDA_VISIBLE_DEVICES=0,1 covers 2 of 8")));
  for (Snapshot& s : trace.snapshots) s.processes[0].cuda_visible_devices = std::string("0,1,2,3");
  EXPECT_THAT(diagnose(trace).causes, Contains(HasSubstr("CUDA_VISIBLE_DEVICES=0,1,2,3 covers 4 of 8")));
  for (Snapshot& s : trace.snapshots) s.processes[0].cuda_visible_devices = std::string("0,1,2,3,4,5,6,7");
  EXPECT_THAT(diagnose(trace).causes,
              Contains(HasSubstr("8 GPUs are visible to the training and it uses 2")));
}

TEST(Unused, WhatTheUsedOnesSufferFromIsSaidBeside) {
  const Report report = diagnose(two_of_eight(
      {.online = 8, .gpus = 8, .busy = 0.5, .main_waits = 0.48, .workers = 1, .worker_cpu = 0.95}));
  EXPECT_EQ(report.verdict, Verdict::gpu_unused);
  EXPECT_THAT(report.causes, Contains(HasSubstr("too_few_workers")));
  EXPECT_FALSE(report.fixes.front().predicted_gain.known());  // more GPUs would wait too
  EXPECT_THAT(report.fixes.at(1).what, HasSubstr("more workers"));
}

TEST(Unused, OnASharedMachineTheTrainingsOwnTroubleComesFirst) {
  Trace trace = two_of_eight(
      {.online = 8, .gpus = 8, .busy = 0.5, .main_waits = 0.48, .workers = 1, .worker_cpu = 0.95});
  for (Snapshot& s : trace.snapshots) {
    hold(s.gpus[7], 999);  // somebody else's, busy
    for (GpuSample& sample : s.gpus[7].samples) sample.percent = 90;
  }
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::too_few_workers) << report.summary;
  EXPECT_THAT(report.causes, Contains(HasSubstr("5 of 8 GPUs are unused")));
}

TEST(Unused, GpusThatOthersHoldAreTheirs) {
  Trace trace = two_of_eight();
  for (Snapshot& s : trace.snapshots)
    for (std::size_t i = 2; i < 8; ++i) hold(s.gpus[i], 999);
  EXPECT_EQ(diagnose(trace).verdict, Verdict::gpu_bound);
}

TEST(Unused, MemoryHeldAndNoKernels) {
  const Trace trace =
      changed(made_trace({.busy = 0, .main_waits = 0, .main_cpu = 0, .workers = 0}), [](GpuSeen& gpu) {
        hold(gpu, 100);
        gpu.memory_used_bytes = 20ULL << 30;
      });
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::gpu_unused) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("python (pid 100) holds memory and runs no kernel"));
}

TEST(Unused, ATrainingThatRunsOnTheCpu) {
  Trace trace = changed(
      made_trace({.busy = 0, .main_waits = 0.4, .main_cpu = 0.6, .worker_cpu = 0.5, .worker_idle = 0.5}),
      [](GpuSeen& gpu) {
        gpu.processes = std::vector<GpuProcess>{};
        gpu.memory_used_bytes = 0;
      });
  for (Snapshot& s : trace.snapshots) s.processes[0].cuda_visible_devices = std::string("-1");
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::gpu_unused) << report.summary;
  EXPECT_THAT(report.summary, HasSubstr("computes on the CPU"));
  EXPECT_THAT(report.causes, Contains(HasSubstr("hides every GPU")));
}

TEST(Unused, AStarvedTrainingIsNoUnusedGpu) {
  const Trace trace =
      changed(made_trace({.busy = 0, .main_waits = 0.98, .worker_cpu = 0.1}), [](GpuSeen& gpu) {
        hold(gpu, 100);
        gpu.memory_used_bytes = 8ULL << 30;
      });
  EXPECT_NE(diagnose(trace).verdict, Verdict::gpu_unused);
}

TEST(Unused, AContainersListsSayNothing) {
  // Utilisation is seen, no process is: the training is judged all the same.
  const Trace trace = changed(
      made_trace({.busy = 0.97, .main_waits = 0.02, .worker_cpu = 0.3, .worker_idle = 0.7}),
      [](GpuSeen& gpu) { gpu.processes = Reading<std::vector<GpuProcess>>::unknown("no permission"); });
  EXPECT_EQ(diagnose(trace).verdict, Verdict::gpu_bound);
}

TEST(Unused, InALog) {
  Curves curves = steady(2, 90);
  curves[1].assign(30, 0);
  const Report report = diagnose(made_log(curves), {.price_per_hour = 2});
  EXPECT_EQ(report.verdict, Verdict::gpu_unused);
  EXPECT_NEAR(*report.cost->lost_per_hour, 1, 1e-9);
}

TEST(Unused, ALogThatFallsSilent) {
  Curves curves = steady(1, 95, 20);
  curves[0].resize(60, 0);
  const Report report = diagnose(made_log(curves));
  EXPECT_EQ(report.verdict, Verdict::gpu_unused);
  EXPECT_THAT(report.summary, HasSubstr("the job has ended"));
}

TEST(Busy, SmallKernels) {
  const Report report =
      diagnose(changed(made_trace({.busy = 0.99, .main_waits = 0.01, .worker_cpu = 0.3, .worker_idle = 0.7}),
                       [](GpuSeen& gpu) { gpu.sm_active_percent = 9.0; }));
  EXPECT_EQ(report.verdict, Verdict::gpu_bound);
  EXPECT_THAT(report.causes, Contains(HasSubstr("9 % of the SMs are active")));
  EXPECT_THAT(report.fixes.front().how.front().text, HasSubstr("CUDA graphs"));
}

TEST(Busy, LittlePowerAtFullUtilisation) {
  const Report report = diagnose(changed(made_log(steady(1, 99)), [](GpuSeen& gpu) {
    gpu.power_w = 90.0;
    gpu.power_limit_w = 400.0;
  }));
  EXPECT_THAT(report.causes, Contains(HasSubstr("small kernels or waiting ones")));
}

TEST(Busy, PowerCapByTheDriversWord) {
  const Report report = diagnose(changed(made_log(steady(1, 99)), [](GpuSeen& gpu) {
    gpu.slow_reasons = kSlowPowerCap;
    gpu.power_w = 249.0;
    gpu.power_limit_w = 250.0;
    gpu.sm_clock_mhz = 1000.0;
    gpu.sm_clock_max_mhz = 1500.0;
  }));
  EXPECT_EQ(report.verdict, Verdict::gpu_bound);
  EXPECT_THAT(report.causes,
              Contains(HasSubstr("power-capped: 249 W of 250 W allowed, SM clock 1000 of 1500 MHz")));
  EXPECT_EQ(report.fixes.front().label, GainLabel::up_to);
  EXPECT_NEAR(*report.fixes.front().predicted_gain, 0.5, 1e-9);
}

TEST(Busy, ADriverThatSaysNoIsBelieved) {
  const Report report = diagnose(changed(made_log(steady(1, 99)), [](GpuSeen& gpu) {
    gpu.slow_reasons = 0;
    gpu.power_w = 249.0;
    gpu.power_limit_w = 250.0;
  }));
  EXPECT_EQ(report.verdict, Verdict::healthy);
}

TEST(Busy, ThermalSlowdown) {
  const Report report =
      diagnose(changed(made_log(steady(1, 99)), [](GpuSeen& gpu) { gpu.slow_reasons = kSlowThermal; }));
  EXPECT_THAT(report.causes, Contains(HasSubstr("temperature")));
}

TEST(Busy, AFallenPcieLink) {
  const auto link = [](GpuSeen& gpu) {
    gpu.pcie_generation = 1;
    gpu.pcie_generation_max = 4;
    gpu.pcie_width = 8;
    gpu.pcie_width_max = 16;
  };
  EXPECT_THAT(diagnose(changed(made_log(steady(1, 99)), link)).causes,
              Contains(HasSubstr("generation 1 of 4, x8 of x16")));
  // An idle GPU's link rests.
  EXPECT_THAT(diagnose(changed(made_log(steady(1, 10)), link)).causes, Not(Contains(HasSubstr("PCIe"))));
}

TEST(Busy, RanksThatWaitForALateOne) {
  Curves curves = steady(4, 99);
  curves[2].assign(30, 55);
  EXPECT_THAT(diagnose(made_log(curves)).causes, Contains(HasSubstr("seem to wait in NCCL for GPU 2")));
}

TEST(Busy, RanksThatLookBusyBesideOneThatWorks) {
  const Trace trace = changed(made_log(steady(4, 99)), [](GpuSeen& gpu) {
    gpu.power_limit_w = 400.0;
    gpu.power_w = gpu.index == 1 ? 380.0 : 130.0;
  });
  EXPECT_THAT(diagnose(trace).causes, Contains(HasSubstr("seem to wait in NCCL for GPU 1")));
}

TEST(Busy, TwoGpusOfALogMayBeTwoJobs) {
  Curves curves = steady(2, 99);
  curves[1].assign(30, 55);
  EXPECT_THAT(diagnose(made_log(curves)).causes, Not(Contains(HasSubstr("NCCL"))));
}

TEST(Busy, EqualRanksHaveNoStraggler) {
  const Trace trace = changed(made_log(steady(4, 99)), [](GpuSeen& gpu) {
    gpu.power_limit_w = 400.0;
    gpu.power_w = 350.0 + gpu.index;
  });
  EXPECT_THAT(diagnose(trace).causes, Not(Contains(HasSubstr("NCCL"))));
}

TEST(Busy, SourcesThatContradictEachOther) {
  const Report report =
      diagnose(changed(made_log(steady(1, 99)), [](GpuSeen& gpu) { gpu.engine_active_percent = 0.0; }));
  EXPECT_THAT(report.causes, Contains(HasSubstr("utilisation 99 %, engine active 0 %")));
  EXPECT_LT(report.confidence, 0.7);
}

TEST(Curve, GarbageIsLeftOut) {
  Trace trace = made_log(steady(1, 50));
  trace.snapshots[3].gpus[0].util_percent = 4294967295.0;
  trace.snapshots[4].gpus[0].util_percent = -3.0;
  const Report report = diagnose(trace);
  EXPECT_DOUBLE_EQ(*report.gpus[0].util_mean, 50);
}

TEST(Curve, UnknownIsNotZero) {
  Trace trace = made_log(steady(1, 50));
  for (std::size_t i = 0; i < 15; ++i)
    trace.snapshots[i].gpus[0].util_percent = Reading<double>::unknown("[N/A]");
  EXPECT_DOUBLE_EQ(*diagnose(trace).gpus[0].util_mean, 50);
  for (Snapshot& s : trace.snapshots) s.gpus[0].util_percent = Reading<double>::unknown("not supported");
  const Report report = diagnose(trace);
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_EQ(report.gpus[0].util_mean.why(), "not supported");
}

TEST(Curve, AMigInstanceIsNotCountedBesideItsGpu) {
  Trace trace = made_log(steady(2, 90));
  for (Snapshot& s : trace.snapshots) {
    s.gpus[0].uuid = "GPU-a";
    s.gpus[1].uuid = "MIG-b";
    s.gpus[1].mig_parent = "GPU-a";
  }
  EXPECT_EQ(diagnose(trace).gpus.size(), 1U);
  // Under MIG the GPU has no utilisation of its own.
  for (Snapshot& s : trace.snapshots) {
    s.gpus[0].util_percent = Reading<double>::unknown("MIG");
    s.gpus[1].util_percent = Reading<double>::unknown("MIG");
    s.gpus[1].sm_active_percent = 70.0;
  }
  const Report report = diagnose(trace);
  ASSERT_EQ(report.gpus.size(), 1U);
  EXPECT_DOUBLE_EQ(*report.gpus[0].util_mean, 70);
}

TEST(Curve, AGpuThatFellOffTheBusKeepsItsPast) {
  Trace trace = made_log(steady(2, 90));
  for (std::size_t i = 10; i < 30; ++i) trace.snapshots[i].gpus.pop_back();
  const Report report = diagnose(trace);
  ASSERT_EQ(report.gpus.size(), 2U);
  EXPECT_DOUBLE_EQ(*report.gpus[1].util_mean, 90);
}

TEST(Curve, IndexesMayChangePlaces) {
  Trace trace = made_log({std::vector<double>(30, 80), std::vector<double>(30, 20)});
  for (std::size_t i = 0; i < 30; ++i) {
    auto& gpus = trace.snapshots[i].gpus;
    gpus[0].uuid = "GPU-a";
    gpus[1].uuid = "GPU-b";
    if (i % 2 == 1) std::swap(gpus[0], gpus[1]);
  }
  EXPECT_DOUBLE_EQ(*diagnose(trace).gpus[0].util_mean, 80);
}

}  // namespace

}  // namespace stoker::doctor
