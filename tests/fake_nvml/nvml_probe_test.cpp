// The GPU probe against drivers that do not exist.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include "fake_nvml/events.hpp"
#include "support/temp_dir.hpp"
#include "watch/gpu/gpu_probe.hpp"

namespace stoker::watch {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

class NvmlProbe : public ::testing::Test {
 protected:
  NvmlProbe() { setenv("STOKER_FAKE_NVML", path_.c_str(), 1); }
  ~NvmlProbe() override {
    unsetenv("STOKER_FAKE_NVML");
    unsetenv("STOKER_FAKE_NVML_FAIL");
  }

  void write(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  static void fail(const char* functions) { setenv("STOKER_FAKE_NVML_FAIL", functions, 1); }
  // `driver`: "", "/v1", "/v2", "/bare".
  WatchOptions options(const std::string& driver = "") const {
    WatchOptions options;
    options.nvml_library = STOKER_FAKE_NVML_FOLDER + driver + "/libnvidia-ml.so.1";
    options.proc_root = folder_.path("proc");
    options.sys_root = folder_.path("sys");
    return options;
  }
  static Snapshot read(GpuProbe& probe) {
    Snapshot snapshot;
    probe.read(snapshot);
    snapshot.time_s = now();
    return snapshot;
  }
  static GpuSeen only_gpu(GpuProbe& probe) {
    const Snapshot snapshot = read(probe);
    EXPECT_EQ(snapshot.gpus.size(), 1);
    return snapshot.gpus.empty() ? GpuSeen() : snapshot.gpus[0];
  }

  test::TempDir folder_;
  std::string path_ = folder_.path("events.txt");
};

MATCHER_P(SaysWhy, text, "") {
  *result_listener << (arg.known() ? "is known" : arg.why());
  return !arg.known() && arg.why().find(text) != std::string::npos;
}
auto not_seen(const std::string& what, const std::string& why) {
  return AllOf(Field(&NotSeen::what, what), Field(&NotSeen::why, HasSubstr(why)));
}

TEST_F(NvmlProbe, ReadsWhatTheDriverTells) {
  write(
      "gpu 0 name=NVIDIA_H100 uuid=GPU-abc memory_total_mib=81559 power_limit_w=700 pcie_generation_max=5\n"
      "seen 0 0 util=40 memory_util=20 memory_used_mib=1000 power_w=350 sm_clock_mhz=1200 temperature_c=61\n"
      "seen 0 0 slow_reasons=0x4 pcie_generation=1 pcie_width=8 jpeg=7\n"
      "gpu 1 name=B\n");
  GpuProbe probe(options());
  const Snapshot snapshot = read(probe);
  EXPECT_THAT(snapshot.not_seen, IsEmpty());
  ASSERT_EQ(snapshot.gpus.size(), 2);
  const GpuSeen& gpu = snapshot.gpus[0];
  EXPECT_EQ(gpu.index, 0);
  EXPECT_EQ(gpu.vendor, "nvidia");
  EXPECT_EQ(gpu.name, "NVIDIA H100");
  EXPECT_EQ(gpu.uuid, "GPU-abc");
  EXPECT_EQ(gpu.mig_parent, "");
  EXPECT_EQ(gpu.util_percent, Reading<double>(40));
  EXPECT_EQ(gpu.memory_util_percent, Reading<double>(20));
  EXPECT_EQ(gpu.memory_used_bytes, Reading<std::uint64_t>(1000ULL << 20));
  EXPECT_EQ(gpu.memory_total_bytes, Reading<std::uint64_t>(81559ULL << 20));
  EXPECT_EQ(gpu.power_w, Reading<double>(350));
  EXPECT_EQ(gpu.power_limit_w, Reading<double>(700));
  EXPECT_EQ(gpu.sm_clock_mhz, Reading<double>(1200));
  EXPECT_EQ(gpu.sm_clock_max_mhz, Reading<double>(1980));
  EXPECT_EQ(gpu.temperature_c, Reading<double>(61));
  EXPECT_EQ(gpu.slow_reasons, Reading<std::uint64_t>(kSlowPowerCap));
  EXPECT_EQ(gpu.pcie_generation, Reading<int>(1));
  EXPECT_EQ(gpu.pcie_generation_max, Reading<int>(5));
  EXPECT_EQ(gpu.pcie_width, Reading<int>(8));
  EXPECT_EQ(gpu.pcie_width_max, Reading<int>(16));
  EXPECT_EQ(gpu.jpeg_percent, Reading<double>(7));
  EXPECT_TRUE(gpu.energy_j.known());
  EXPECT_THAT(gpu.sm_active_percent, SaysWhy("Hopper"));
  ASSERT_TRUE(gpu.processes.known());
  EXPECT_THAT(*gpu.processes, IsEmpty());
  EXPECT_EQ(snapshot.gpus[1].index, 1);
  EXPECT_EQ(snapshot.gpus[1].name, "B");
}

TEST_F(NvmlProbe, EnergyIsMeanPowerTimesTime) {
  write("gpu 0 power_limit_w=700\nseen " + std::to_string(now() - 100) + " 0 power_w=200\n");
  GpuProbe probe(options());
  const double before = now();
  const GpuSeen first = only_gpu(probe);
  ASSERT_TRUE(first.energy_j.known());
  EXPECT_NEAR(*first.energy_j, 200 * 100, 200 * (now() - before + 1));
}

// ---- The waveform -----------------------------------------------------------------------------------------

// Square waves from now on, for the next seconds.
std::string waves(double begin, double busy, double idle) {
  std::string text;
  for (double t = begin; t < begin + 30; t += busy + idle)
    text += "busy " + std::to_string(t) + " 0\nidle " + std::to_string(t + busy) + " 0\n";
  return text;
}

double mean(const std::vector<GpuSample>& samples) {
  double sum = 0;
  for (const GpuSample& sample : samples) sum += sample.percent;
  return sum / static_cast<double>(samples.size());
}

class Waveform : public NvmlProbe, public ::testing::WithParamInterface<const char*> {};

TEST_P(Waveform, IsTheBusyShareOfEachPeriod) {
  constexpr double kPeriod = 0.025;
  write("gpu 0 period=0.025 stamps=" + std::string(GetParam()) + "\n" + waves(now() - 5, 0.06, 0.13));
  fake_nvml::Machine truth;
  ASSERT_TRUE(truth.open(path_, now()));
  GpuProbe probe(options());
  const double begin = now();
  EXPECT_THAT(only_gpu(probe).samples, IsEmpty());  // what was before is not this watch's
  std::vector<GpuSample> samples;
  for (int i = 0; i < 4; ++i) {
    wait(0.25);
    const GpuSeen gpu = only_gpu(probe);
    ASSERT_TRUE(gpu.sample_interval_s.known()) << gpu.sample_interval_s.why();
    EXPECT_NEAR(*gpu.sample_interval_s, kPeriod, 1e-4);
    samples.insert(samples.end(), gpu.samples.begin(), gpu.samples.end());
  }
  ASSERT_GT(samples.size(), 20);
  EXPECT_GT(samples.front().time_s, begin - kPeriod);
  EXPECT_LE(samples.back().time_s, now());
  for (std::size_t i = 1; i < samples.size(); ++i)  // none twice, none left out
    EXPECT_NEAR(samples[i].time_s - samples[i - 1].time_s, kPeriod, 1e-3);
  // 1 point: the driver tells whole percents, and the two clocks are read one after the other.
  const double share =
      truth.mean_util(truth.gpus[0], samples.front().time_s - kPeriod, samples.back().time_s);
  EXPECT_NEAR(mean(samples), share, 1);
  const auto full = [](const GpuSample& sample) { return sample.percent == 100; };
  const auto none = [](const GpuSample& sample) { return sample.percent == 0; };
  EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), full));
  EXPECT_TRUE(std::any_of(samples.begin(), samples.end(), none));
}

INSTANTIATE_TEST_SUITE_P(Stamps, Waveform, ::testing::Values("1970", "boot"));

TEST_F(NvmlProbe, ABufferThatRunsDryWhileIdleReadsAsIdle) {
  write("gpu 0 period=0.025 dry=1\nbusy " + std::to_string(now() - 5) + " 0\n");
  GpuProbe probe(options());
  only_gpu(probe);
  wait(0.2);
  std::vector<GpuSample> samples = only_gpu(probe).samples;
  EXPECT_EQ(mean(samples), 100);
  const double idle = now();
  write("idle " + std::to_string(idle) + " 0\n");
  for (int i = 0; i < 2; ++i) {
    wait(0.3);
    const std::vector<GpuSample> more = only_gpu(probe).samples;
    samples.insert(samples.end(), more.begin(), more.end());
  }
  EXPECT_GT(samples.back().time_s, idle + 0.4);
  EXPECT_EQ(samples.back().percent, 0);
  const auto filled = [&](const GpuSample& sample) {
    return sample.percent == 0 && sample.time_s > idle + 0.05 && sample.time_s < idle + 0.4;
  };
  EXPECT_NEAR(std::count_if(samples.begin(), samples.end(), filled), 14, 2);  // 0.35 s of periods
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_GT(samples[i].time_s, samples[i - 1].time_s);
}

TEST_F(NvmlProbe, SamplesThatTheDriverTellsAgainAreToldOnce) {
  write("gpu 0 period=0.025 stamps=boot\n" + waves(now() - 5, 0.06, 0.13));
  GpuProbe probe(options());
  only_gpu(probe);
  wait(0.2);
  std::vector<GpuSample> samples = only_gpu(probe).samples;
  write("gpu 0 stamps=1970\n");  // all of its buffer is later now than what was seen of it
  for (int i = 0; i < 2; ++i) {
    wait(0.1);
    const std::vector<GpuSample> more = only_gpu(probe).samples;
    samples.insert(samples.end(), more.begin(), more.end());
  }
  ASSERT_GT(samples.size(), 10);
  for (std::size_t i = 1; i < samples.size(); ++i)
    EXPECT_NEAR(samples[i].time_s - samples[i - 1].time_s, 0.025, 1e-3);
}

TEST_F(NvmlProbe, PollsADriverWithoutSamplesAndSaysSo) {
  write("gpu 0\nseen 0 0 util=30\n");
  fail("nvmlDeviceGetSamples=3");
  GpuProbe probe(options());
  read(probe);
  for (int i = 0; i < 20; ++i) {
    wait(0.02);
    probe.poll();
  }
  const Snapshot snapshot = read(probe);
  EXPECT_THAT(snapshot.not_seen,
              ElementsAre(not_seen("buffered utilisation of GPU 0", "not supported by this GPU")));
  const GpuSeen& gpu = snapshot.gpus.at(0);
  ASSERT_GE(gpu.samples.size(), 2);  // 0.4 s and more by 1/6 s, and one at the end
  EXPECT_EQ(mean(gpu.samples), 30);
  ASSERT_TRUE(gpu.sample_interval_s.known());
  EXPECT_GT(*gpu.sample_interval_s, 0.1);
  for (std::size_t i = 1; i < gpu.samples.size(); ++i)
    EXPECT_GT(gpu.samples[i].time_s, gpu.samples[i - 1].time_s);
}

TEST_F(NvmlProbe, DoesNotPollADriverThatBuffersSamples) {
  write("gpu 0 period=10\nseen 0 0 util=30\n");
  GpuProbe probe(options());
  only_gpu(probe);
  wait(0.2);
  probe.poll();
  EXPECT_THAT(only_gpu(probe).samples, IsEmpty());
}

// ---- Old and poor drivers ---------------------------------------------------------------------------------

class Versions : public NvmlProbe, public ::testing::WithParamInterface<const char*> {};

// Each version has its own layout; a wrong one shows in the second process at the latest.
TEST_P(Versions, ReadProcessesAndMemory) {
  write(
      "gpu 0 memory_total_mib=1000\nseen 0 0 util=50\n"
      "process 0 0 pid=101 memory_mib=100 sm=10\n"
      "process 0 0 pid=102 memory_mib=200 sm=20\n"
      "process 0 0 pid=103 memory_mib=300 kind=graphics\n");
  GpuProbe probe(options(GetParam()));
  const GpuSeen gpu = only_gpu(probe);
  EXPECT_EQ(gpu.memory_used_bytes, Reading<std::uint64_t>(600ULL << 20));
  EXPECT_EQ(gpu.memory_total_bytes, Reading<std::uint64_t>(1000ULL << 20));
  EXPECT_EQ(gpu.slow_reasons, Reading<std::uint64_t>(0));
  ASSERT_TRUE(gpu.processes.known());
  ASSERT_EQ(gpu.processes->size(), 3);
  for (int i = 0; i < 3; ++i) {
    const GpuProcess& process = gpu.processes->at(static_cast<std::size_t>(i));
    EXPECT_EQ(process.pid, 101 + i);
    EXPECT_EQ(process.memory_bytes, Reading<std::uint64_t>(static_cast<std::uint64_t>(100 + 100 * i) << 20));
    EXPECT_EQ(process.kind, i == 2 ? "graphics" : "compute");
    EXPECT_EQ(process.sm_percent, Reading<double>(i == 2 ? 50 : 10 + 10 * i));
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, Versions, ::testing::Values("", "/v2", "/v1"));

TEST_F(NvmlProbe, ALibraryThatLacksFunctionsTellsTheRest) {
  write("gpu 0 name=A\nseen 0 0 util=50\n");
  GpuProbe probe(options("/bare"));
  const GpuSeen gpu = only_gpu(probe);
  EXPECT_EQ(gpu.name, "A");
  EXPECT_THAT(gpu.util_percent, SaysWhy("not told by this version of the driver"));
  EXPECT_THAT(gpu.memory_used_bytes, SaysWhy("not told by this version"));
  EXPECT_THAT(gpu.power_w, SaysWhy("not told by this version"));
  EXPECT_THAT(gpu.processes, SaysWhy("not told by this version"));
  EXPECT_THAT(gpu.sm_active_percent, SaysWhy("not told by this version"));
  EXPECT_THAT(gpu.pcie_width, SaysWhy("not told by this version"));
}

TEST_F(NvmlProbe, NoLibraryNoGpus) {
  WatchOptions options = this->options();
  options.nvml_library = folder_.path("libnvidia-ml.so.1");
  GpuProbe probe(options);
  const Snapshot snapshot = read(probe);
  EXPECT_THAT(snapshot.gpus, IsEmpty());
  EXPECT_THAT(snapshot.not_seen, ElementsAre(not_seen("GPUs", "cannot be loaded")));
}

TEST_F(NvmlProbe, AnotherLibraryIsRefused) {
  WatchOptions options = this->options();
  options.nvml_library = "libm.so.6";
  GpuProbe probe(options);
  EXPECT_THAT(read(probe).not_seen,
              ElementsAre(not_seen("GPUs", "libm.so.6 is not NVIDIA's management library")));
}

TEST_F(NvmlProbe, SaysWhyTheDriverDoesNotStart) {
  write("gpu 0\n");
  for (const auto& [failure, why] : {std::pair{"nvmlInit_v2=9", "the NVIDIA driver is not loaded"},
                                     {"nvmlInit_v2=18", "different versions"},
                                     {"nvmlInit_v2=4", "needs root"},
                                     {"nvmlInit_v2=999", "NVIDIA driver: Unknown Error"},
                                     {"nvmlDeviceGetCount_v2=999", "Unknown Error"}}) {
    fail(failure);
    GpuProbe probe(options());
    const Snapshot snapshot = read(probe);
    EXPECT_THAT(snapshot.not_seen, ElementsAre(not_seen("GPUs", why)));
    EXPECT_THAT(snapshot.gpus, IsEmpty());
  }
}

TEST_F(NvmlProbe, ADriverWithoutGpus) {
  write("# none\n");
  GpuProbe probe(options());
  EXPECT_THAT(read(probe).not_seen, ElementsAre(not_seen("GPUs", "finds no GPU")));
}

TEST_F(NvmlProbe, WhatIsNotPermittedSaysWhatWouldHelp) {
  write("gpu 0 gpm=1\n");
  fail("nvmlGpmSampleGet=4,nvmlDeviceGetPowerUsage=4");
  GpuProbe probe(options());
  const GpuSeen gpu = only_gpu(probe);
  EXPECT_THAT(gpu.sm_active_percent, SaysWhy("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(gpu.power_w, SaysWhy("needs root"));
  EXPECT_TRUE(gpu.util_percent.known());
}

TEST_F(NvmlProbe, AGpuThatMayNotBeLookedAtIsNamed) {
  write("gpu 0 name=A\ngpu 1 name=B\n");
  fail("nvmlDeviceGetHandleByIndex_v2=4");
  GpuProbe probe(options());
  EXPECT_THAT(read(probe).not_seen,
              ElementsAre(not_seen("GPU 0", "not permitted"), not_seen("GPU 1", "not permitted")));
  fail("");
  EXPECT_EQ(read(probe).gpus.size(), 2);  // asked again at every look
}

TEST_F(NvmlProbe, ALostGpuLeavesTheOthers) {
  write("gpu 0 name=A\ngpu 1 name=B\nseen 0 1 util=50\nprocess 0 0 pid=7 memory_mib=1\n");
  GpuProbe probe(options());
  EXPECT_TRUE(read(probe).gpus.at(0).util_percent.known());
  write("seen " + std::to_string(now()) + " 0 lost=1\n");
  const Snapshot snapshot = read(probe);
  ASSERT_EQ(snapshot.gpus.size(), 2);
  const GpuSeen& lost = snapshot.gpus[0];
  EXPECT_EQ(lost.name, "A");
  EXPECT_THAT(lost.util_percent, SaysWhy("fell off the bus"));
  EXPECT_THAT(lost.memory_used_bytes, SaysWhy("fell off the bus"));
  EXPECT_THAT(lost.power_w, SaysWhy("fell off the bus"));
  EXPECT_THAT(lost.processes, SaysWhy("fell off the bus"));
  EXPECT_THAT(lost.slow_reasons, SaysWhy("fell off the bus"));
  EXPECT_THAT(lost.samples, IsEmpty());
  EXPECT_THAT(snapshot.not_seen, ElementsAre(not_seen("GPU 0", "fell off the bus")));
  EXPECT_EQ(snapshot.gpus[1].util_percent, Reading<double>(50));
}

TEST_F(NvmlProbe, AGpuLostFromTheStartIsNamed) {
  write("gpu 0\nseen 0 0 lost=1\ngpu 1 name=B\n");
  GpuProbe probe(options());
  const Snapshot snapshot = read(probe);
  EXPECT_THAT(snapshot.not_seen, ElementsAre(not_seen("GPU 0", "fell off the bus")));
  ASSERT_EQ(snapshot.gpus.size(), 1);
  EXPECT_EQ(snapshot.gpus[0].index, 1);
}

TEST_F(NvmlProbe, GarbageIsUnknownNotClamped) {
  write(
      "gpu 0 period=0.025 gpm=1\nseen 0 0 util=250 sm_active=400 jpeg=4294967295\n"
      "process 0 0 pid=101 sm=4294967295\nprocess 0 0 pid=102 sm=30\n");
  GpuProbe probe(options());
  only_gpu(probe);
  wait(0.2);
  const GpuSeen gpu = only_gpu(probe);
  EXPECT_THAT(gpu.util_percent, SaysWhy("garbage: 250 %"));
  EXPECT_THAT(gpu.sm_active_percent, SaysWhy("garbage: 400 %"));
  EXPECT_THAT(gpu.jpeg_percent, SaysWhy("garbage"));
  EXPECT_THAT(gpu.samples, IsEmpty());
  ASSERT_EQ(gpu.processes->size(), 2);
  EXPECT_THAT(gpu.processes->at(0).sm_percent, SaysWhy("garbage"));
  EXPECT_EQ(gpu.processes->at(1).sm_percent, Reading<double>(30));
}

// ---- Processes --------------------------------------------------------------------------------------------

TEST_F(NvmlProbe, MoreProcessesThanThereWasRoomFor) {
  write("gpu 0\n");
  for (int i = 0; i < 300; ++i)
    write("process 0 0 pid=" + std::to_string(1000 + i) + " memory_mib=1 sm=" + std::to_string(i % 90 + 1) +
          "\n");
  GpuProbe probe(options());
  const GpuSeen gpu = only_gpu(probe);
  ASSERT_TRUE(gpu.processes.known());
  ASSERT_EQ(gpu.processes->size(), 300);
  EXPECT_EQ(gpu.processes->at(299).pid, 1299);
  EXPECT_EQ(gpu.processes->at(299).sm_percent, Reading<double>(299 % 90 + 1));
}

TEST_F(NvmlProbe, AListThatNeverFitsIsUnknown) {
  write("gpu 0\nprocess 0 0 pid=101\n");
  fail("nvmlDeviceGetComputeRunningProcesses_v3=7");
  GpuProbe probe(options());
  EXPECT_THAT(only_gpu(probe).processes, SaysWhy("Insufficient Size"));
}

TEST_F(NvmlProbe, WhereNobodyRanAKernelSharesAreZero) {
  write("gpu 0\nprocess 0 0 pid=101 memory_mib=100\n");
  GpuProbe probe(options());
  const GpuSeen gpu = only_gpu(probe);
  EXPECT_EQ(gpu.util_percent, Reading<double>(0));
  EXPECT_EQ(gpu.processes->at(0).sm_percent, Reading<double>(0));
  fail("nvmlDeviceGetProcessUtilization=3");
  EXPECT_THAT(only_gpu(probe).processes->at(0).sm_percent, SaysWhy("not supported"));
}

TEST_F(NvmlProbe, OneProcessInTwoListsIsOne) {
  write("gpu 0\nprocess 0 0 pid=101 memory_mib=100\nprocess 0 0 pid=102 kind=mps\n");
  GpuProbe probe(options());
  const auto processes = *only_gpu(probe).processes;
  ASSERT_EQ(processes.size(), 2);
  EXPECT_EQ(processes[1].kind, "mps");
}

TEST_F(NvmlProbe, TellsWhichProcessesAreHere) {
  folder_.write("proc/101/comm", "python\n");
  folder_.write("proc/101/status", "Name:\tpython\nNSpid:\t101\n");
  folder_.write("proc/55/comm", "train\n");
  folder_.write("proc/55/status", "Name:\ttrain\nNSpid:\t55\t7001\n");
  folder_.write("proc/56/status", "NSpid:\t56\t7002\n");
  folder_.write("proc/57/status", "NSpid:\t57\t7002\n");
  write("gpu 0\nprocess 0 0 pid=101\nprocess 0 0 pid=7001\nprocess 0 0 pid=7002\nprocess 0 0 pid=9\n");
  GpuProbe probe(options());
  const auto processes = *only_gpu(probe).processes;
  ASSERT_EQ(processes.size(), 4);
  EXPECT_EQ(std::tuple(processes[0].pid, processes[0].here, processes[0].name),
            std::tuple(101, true, "python"));
  EXPECT_EQ(std::tuple(processes[1].pid, processes[1].here, processes[1].name),
            std::tuple(55, true, "train"));
  EXPECT_EQ(std::tuple(processes[2].pid, processes[2].here), std::tuple(7002, false));  // two claim it
  EXPECT_EQ(std::tuple(processes[3].pid, processes[3].here), std::tuple(9, false));
}

class Container : public NvmlProbe {
 protected:
  void holder(const std::string& pid, const std::string& parent, const std::string& device) {
    folder_.write("proc/" + pid + "/comm", "python\n");
    folder_.write("proc/" + pid + "/status", "Name:\tpython\nPPid:\t" + parent + "\nNSpid:\t" + pid + "\n");
    std::filesystem::create_directories(folder_.path("proc/" + pid + "/fd"));
    std::filesystem::create_symlink(device, folder_.path("proc/" + pid + "/fd/40"));
  }
};

TEST_F(Container, TheOneThatHoldsTheDeviceIsTheOneListed) {
  holder("20", "1", "/dev/nvidia0");
  holder("21", "20", "/dev/nvidia0");  // its worker
  holder("30", "1", "/dev/nvidia1");
  write("gpu 0\nseen 0 0 util=50\nprocess 0 0 pid=90001 memory_mib=4000 sm=44\n");
  GpuProbe probe(options());
  const auto processes = *only_gpu(probe).processes;
  ASSERT_EQ(processes.size(), 1);
  EXPECT_EQ(processes[0].pid, 20);
  EXPECT_TRUE(processes[0].here);
  EXPECT_EQ(processes[0].name, "python");
  EXPECT_EQ(processes[0].sm_percent, Reading<double>(44));
}

TEST_F(Container, WhereNobodyIsListedHoldersAreNamed) {
  holder("20", "1", "/dev/nvidia0");
  holder("30", "1", "/dev/nvidia0");
  write("gpu 0\nseen 0 0 util=50\n");
  GpuProbe probe(options());
  const auto processes = *only_gpu(probe).processes;
  ASSERT_EQ(processes.size(), 2);
  EXPECT_EQ(processes[0].kind, "open");
  EXPECT_FALSE(processes[0].sm_percent.known());
  EXPECT_FALSE(processes[0].memory_bytes.known());
}

TEST_F(Container, AnIdleGpuThatAMonitorHoldsIsUnused) {
  holder("20", "1", "/dev/nvidia0");
  write("gpu 0\nseen 0 0 util=0 memory_used_mib=10\n");
  GpuProbe probe(options());
  EXPECT_THAT(*only_gpu(probe).processes, IsEmpty());
}

// ---- MIG, SM activity, PCIe -------------------------------------------------------------------------------

TEST_F(NvmlProbe, MigInstancesStandForThemselves) {
  write(
      "gpu 0 name=A uuid=GPU-abc mig=2 gpm=1 memory_total_mib=1000\ngpu 1 name=B\n"
      "process 0 0 pid=101 memory_mib=100 mig=0\nprocess 0 0 pid=102 memory_mib=200 mig=1\n"
      "seen 0 0 mig=0 sm_active=20\nseen 0 0 mig=1 sm_active=90\n");
  GpuProbe probe(options());
  read(probe);
  wait(0.15);
  const Snapshot snapshot = read(probe);
  ASSERT_EQ(snapshot.gpus.size(), 4);
  EXPECT_THAT(snapshot.gpus[0].util_percent, SaysWhy("cut into MIG instances"));
  EXPECT_EQ(snapshot.gpus[0].processes->size(), 2);
  for (const int i : {0, 1}) {
    const GpuSeen& instance = snapshot.gpus[static_cast<std::size_t>(1 + i)];
    EXPECT_EQ(instance.index, 0);
    EXPECT_EQ(instance.mig_parent, "GPU-abc");
    EXPECT_EQ(instance.uuid, "MIG-abc-" + std::to_string(i));
    EXPECT_THAT(instance.util_percent, SaysWhy("MIG"));
    EXPECT_THAT(instance.power_w, SaysWhy("whole GPU"));
    EXPECT_EQ(instance.memory_total_bytes, Reading<std::uint64_t>(500ULL << 20));
    EXPECT_EQ(instance.memory_used_bytes, Reading<std::uint64_t>((100ULL + 100ULL * i) << 20));
    ASSERT_EQ(instance.processes->size(), 1);
    EXPECT_EQ(instance.processes->at(0).pid, 101 + i);
    ASSERT_TRUE(instance.sm_active_percent.known()) << instance.sm_active_percent.why();
    EXPECT_NEAR(*instance.sm_active_percent, i == 0 ? 20 : 90, 0.1);
  }
  EXPECT_EQ(snapshot.gpus[3].name, "B");
  EXPECT_EQ(snapshot.gpus[3].mig_parent, "");
}

TEST_F(NvmlProbe, SmActivityIsTheMeanBetweenTwoLooks) {
  const double begin = now();
  write("gpu 0 gpm=1\nseen 0 0 util=100 sm_active=12 pcie_rx_mib_s=2000 pcie_tx_mib_s=100\n");
  GpuProbe probe(options());
  EXPECT_THAT(only_gpu(probe).sm_active_percent, SaysWhy("from the second look on"));
  const Reading<double> again = only_gpu(probe).sm_active_percent;
  if (now() - begin < 0.1) {
    EXPECT_THAT(again, SaysWhy("too soon"));
  }
  wait(0.15);
  const GpuSeen gpu = only_gpu(probe);
  ASSERT_TRUE(gpu.sm_active_percent.known()) << gpu.sm_active_percent.why() << now() - begin;
  EXPECT_NEAR(*gpu.sm_active_percent, 12, 0.01);
  EXPECT_NEAR(*gpu.engine_active_percent, 100, 0.01);
  EXPECT_EQ(gpu.pcie_rx_bytes_per_s, Reading<double>(2000.0 * 1024 * 1024));
  EXPECT_EQ(gpu.pcie_tx_bytes_per_s, Reading<double>(100.0 * 1024 * 1024));
}

TEST_F(NvmlProbe, SlowThroughputCallsTakeTurns) {
  for (int i = 0; i < 3; ++i)
    write("gpu " + std::to_string(i) + " pcie_call_ms=20\nseen 0 " + std::to_string(i) +
          " pcie_rx_mib_s=10\n");
  GpuProbe probe(options());
  for (const GpuSeen& gpu : read(probe).gpus)
    EXPECT_THAT(gpu.pcie_rx_bytes_per_s, SaysWhy("from the second look on"));
  std::vector<int> told(3, 0);
  for (int look = 0; look < 6; ++look) {
    int at_once = 0;
    for (const GpuSeen& gpu : read(probe).gpus) {
      if (!gpu.pcie_rx_bytes_per_s) continue;
      EXPECT_EQ(gpu.pcie_rx_bytes_per_s, Reading<double>(10 * 1024.0 * 1024));
      ++at_once;
      ++told[static_cast<std::size_t>(gpu.index)];
    }
    EXPECT_EQ(at_once, 1);
  }
  EXPECT_THAT(told, ElementsAre(2, 2, 2));
}

TEST_F(NvmlProbe, QuickThroughputCallsAreAskedOfAll) {
  write("gpu 0\ngpu 1\nseen 0 1 pcie_tx_mib_s=3\n");
  GpuProbe probe(options());
  Snapshot snapshot = read(probe);
  // A call that a busy machine held up counts as slow until another one was quick.
  for (int i = 0; i < 50 && !snapshot.gpus.at(1).pcie_tx_bytes_per_s; ++i) snapshot = read(probe);
  snapshot = read(probe);
  EXPECT_EQ(snapshot.gpus.at(0).pcie_tx_bytes_per_s, Reading<double>(0));
  EXPECT_EQ(snapshot.gpus.at(1).pcie_tx_bytes_per_s, Reading<double>(3 * 1024.0 * 1024));
}

TEST_F(NvmlProbe, Moves) {
  write("gpu 0 name=A gpm=1\n");
  GpuProbe first(options());
  only_gpu(first);
  GpuProbe second(std::move(first));
  EXPECT_EQ(only_gpu(second).name, "A");
  GpuProbe third(options());
  third = std::move(second);
  EXPECT_EQ(only_gpu(third).name, "A");
}

}  // namespace
}  // namespace stoker::watch
