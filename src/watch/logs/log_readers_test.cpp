#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "watch/logs/log_samples.hpp"
#include "watch/logs/readers.hpp"

namespace stoker::watch {
namespace {

Trace read(const std::string& text) {
  auto trace = read_trace_bytes(text, "x.log");
  if (!trace) {
    ADD_FAILURE() << trace.error().what();
    return {};
  }
  return std::move(*trace);
}

Trace read_sample(std::string_view name) {
  for (const auto& sample : log_samples::all())
    if (sample.name == name) return read(sample.text);
  ADD_FAILURE() << name;
  return {};
}

std::vector<double> times_of(const Trace& trace) {
  std::vector<double> times;
  for (const Snapshot& snapshot : trace.snapshots) times.push_back(snapshot.time_s);
  return times;
}

// The utilisations of one GPU; -1 where unknown.
std::vector<double> utils_of(const Trace& trace, int index = 0) {
  std::vector<double> utils;
  for (const Snapshot& snapshot : trace.snapshots)
    for (const GpuSeen& gpu : snapshot.gpus)
      if (gpu.index == index && gpu.mig_parent.empty()) utils.push_back(gpu.util_percent.value_or(-1));
  return utils;
}

std::string why_not(const Trace& trace, std::string_view what) {
  for (const NotSeen& one : trace.not_seen)
    if (one.what == what) return one.why;
  return "";
}

using testing::ElementsAre;
using testing::HasSubstr;

// ---- Tables with a line of names
// ---------------------------------------------------------------------------

TEST(GpuCsv, RowsOfOneTickAreOneSnapshot) {
  const Trace trace = read_sample("smi-csv");
  EXPECT_EQ(trace.kind, "nvidia-smi csv");
  EXPECT_EQ(trace.source, "x.log");
  ASSERT_EQ(trace.snapshots.size(), 2u);
  const GpuSeen& first = trace.snapshots[0].gpus.at(0);
  EXPECT_EQ(first.name, "NVIDIA RTX A6000");
  EXPECT_EQ(first.vendor, "nvidia");
  EXPECT_EQ(*first.util_percent, 92);
  EXPECT_EQ(*first.memory_used_bytes, 25073ull << 20);
  EXPECT_EQ(*first.power_w, 201.53);
  EXPECT_EQ(*first.slow_reasons, kSlowPowerCap);
  EXPECT_THAT(utils_of(trace, 1), ElementsAre(-1, 0));
  EXPECT_EQ(trace.unreadable_values, 6u);
  EXPECT_NEAR(trace.snapshots[1].time_s, 1.004, 1e-6);
  EXPECT_NEAR(trace.snapshots[0].wall_s, 1732364609.95, 1e-6);
  for (const char* what : {"processes", "CPU", "I/O", "images/s"})
    EXPECT_NE(why_not(trace, what), "") << what;
}

TEST(GpuCsv, AColumnForEachGpuAndOneOfTheCpus) {
  const Trace trace = read_sample("own-csv");
  EXPECT_EQ(trace.kind, "GPU csv");
  EXPECT_THAT(utils_of(trace, 0), ElementsAre(5, 6));
  EXPECT_THAT(utils_of(trace, 1), ElementsAre(7, 8));
  EXPECT_EQ(*trace.snapshots.at(0).host.cpu_percent, 80.5);
  EXPECT_EQ(*trace.snapshots.at(0).gpus.at(0).power_w, 26.11);
  EXPECT_EQ(why_not(trace, "CPU"), "");
  EXPECT_NEAR(trace.snapshots.at(1).time_s, 0.26, 1e-9);
  EXPECT_EQ(trace.snapshots[1].wall_s, 0);
}

TEST(GpuCsv, TheHeaderMayBeRepeated) {
  const Trace trace = read("utilization.gpu [%]\n85 %\nutilization.gpu [%]\n100 %\n");
  EXPECT_THAT(utils_of(trace), ElementsAre(85, 100));
  EXPECT_THAT(why_not(trace, "time"), HasSubstr("assumed"));
  EXPECT_EQ(trace.unreadable_values, 0u);
}

TEST(GpuCsv, AnotherHeaderChangesTheColumns) {
  const Trace trace =
      read("timestamp, utilization.gpu [%]\n1, 85 %\nutilization.gpu [%], timestamp\n100 %, 2\n");
  EXPECT_THAT(utils_of(trace), ElementsAre(85, 100));
  EXPECT_THAT(times_of(trace), ElementsAre(0, 1));
}

TEST(GpuCsv, OtherSeparators) {
  EXPECT_THAT(utils_of(read("time;gpu_util;power_w\n1;50,5;26,5\n2;51;27\n")), ElementsAre(50.5, 51));
  EXPECT_THAT(utils_of(read("time\tgpu_util\n1\t50\n2\t51\n")), ElementsAre(50, 51));
}

TEST(GpuCsv, Utf16WithAMarkOrWithout) {
  const std::string text = "timestamp, utilization.gpu [%]\r\n2024/11/23 12:23:29, 63 %\r\n";
  std::string little, big;
  for (const char c : text) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  for (const std::string& bytes :
       {"\xff\xfe" + little, little, "\xfe\xff" + big, big, "\xef\xbb\xbf" + text, text})
    EXPECT_THAT(utils_of(read(bytes)), ElementsAre(63));
}

TEST(GpuCsv, LinesThatAreNoRowsAreLeftOutAndSaid) {
  const Trace trace = read(
      "timestamp, index, utilization.gpu [%]\n2024/11/23 12:23:29, 0, 10 %\n"
      "Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.\n"
      "2024/11/23 12:23:30, 0\n2024/11/23 12:23:3x, 0, 11 %\n2024/11/23 12:23:31, [N/A], 12 %\n"
      "2024/11/23 12:23:32, 0, 20 %\n");
  EXPECT_THAT(utils_of(trace), ElementsAre(10, 20));
  EXPECT_THAT(why_not(trace, "4 lines"), HasSubstr("line 3: \"Unable to determine"));
}

TEST(GpuCsv, ACutLastLineIsLeftOutAndSaid) {
  const Trace trace = read("timestamp,gpu_util\n1,10\n2,10");
  EXPECT_THAT(utils_of(trace), ElementsAre(10));
  EXPECT_NE(why_not(trace, "the last line"), "");
}

TEST(GpuCsv, AClockThatGoesBackIsPutStraightAndSaid) {
  const Trace trace = read("timestamp,gpu_util\n1000,1\n1002,2\n500,3\n502,4\n");
  EXPECT_THAT(times_of(trace), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(why_not(trace, "time"), HasSubstr("was set once"));
}

TEST(GpuCsv, AClockThatLeapsYearsAheadIsPutStraightToo) {
  const Trace trace = read(
      "timestamp,gpu_util\n2024/11/23 12:23:29,1\n2024/11/23 12:23:31,2\n4371/11/23 12:23:33,3\n"
      "2024/11/23 12:23:35,4\n");
  EXPECT_THAT(times_of(trace), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(why_not(trace, "time"), HasSubstr("was set 2 times"));
}

TEST(GpuCsv, RowsThatOvertookEachOtherAreNoClockJump) {
  const Trace trace = read("timestamp,gpu_util\n1000,1\n1002,2\n1001.5,3\n1004,4\n");
  EXPECT_THAT(times_of(trace), ElementsAre(0, 2, 2, 4));
  EXPECT_EQ(why_not(trace, "time"), "");
}

TEST(GpuCsv, MidnightIsNoClockJump) {
  const Trace trace = read("time,gpu_util\n23:59:58,1\n23:59:59,2\n00:00:01,3\n00:00:02,4\n");
  EXPECT_THAT(times_of(trace), ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(why_not(trace, "time"), "");
}

TEST(GpuCsv, GapsAreSaid) {
  const Trace trace = read("timestamp,gpu_util\n0,1\n1,2\n2,3\n3602,4\n3603,5\n");
  EXPECT_THAT(why_not(trace, "gaps"), HasSubstr("once, for up to 1h"));
  EXPECT_EQ(trace.snapshots.back().time_s, 3603);
}

TEST(GpuCsv, DateAndClockInColumnsOfTheirOwn) {
  const Trace trace = read("date,time,gpu_util\n2024-11-23,23:59:59,1\n2024-11-24,00:00:01,2\n");
  EXPECT_THAT(times_of(trace), ElementsAre(0, 2));
}

TEST(GpuCsv, ElapsedMilliseconds) {
  EXPECT_THAT(times_of(read("elapsed_ms,gpu_util\n500,1\n1000,2\n")), ElementsAre(0, 0.5));
}

TEST(GpuCsv, PollsThatRepeatADriversValueAreAllKept) {
  std::string text = "timestamp, utilization.gpu [%]\n";
  for (int i = 0; i < 100; ++i) text += "2024/11/23 12:00:00." + std::to_string(100 + i) + ", 25 %\n";
  EXPECT_EQ(read(text).snapshots.size(), 100u);
}

TEST(GpuCsv, GpusByTheirBusOrUuid) {
  const Trace trace = read(
      "timestamp, pci.bus_id, utilization.gpu [%]\n1, 00000000:01:00.0, 1 %\n1, 00000000:41:00.0, 2 %\n"
      "2, 00000000:01:00.0, 3 %\n2, 00000000:41:00.0, 4 %\n");
  EXPECT_EQ(trace.snapshots.size(), 2u);
  EXPECT_THAT(utils_of(trace, 1), ElementsAre(2, 4));
  EXPECT_EQ(read("uuid, utilization.gpu [%]\nGPU-12ab, 1 %\n").snapshots.at(0).gpus.at(0).uuid, "GPU-12ab");
}

TEST(GpuCsv, AGpuThatIsLostForATickDoesNotShiftTheOthers) {
  const Trace trace = read("timestamp,index,gpu_util\n1,0,1\n1,1,2\n2,1,3\n3,0,4\n3,1,5\n");
  ASSERT_EQ(trace.snapshots.size(), 3u);
  EXPECT_EQ(trace.snapshots[1].gpus.size(), 1u);
  EXPECT_EQ(trace.snapshots[2].gpus.size(), 2u);
  EXPECT_THAT(times_of(trace), ElementsAre(0, 1, 2));
}

TEST(GpuCsv, BurstsOfRowsThatNothingTellsApartAreSeveralGpus) {
  std::string text = "timestamp, utilization.gpu [%]\n";
  for (int i = 0; i < 20; ++i)
    text += std::to_string(100 + i) + ".000, 80 %\n" + std::to_string(100 + i) + ".002, 3 %\n";
  const Trace trace = read(text);
  EXPECT_EQ(trace.snapshots.size(), 20u);
  EXPECT_THAT(utils_of(trace, 1), testing::Each(3));
  EXPECT_EQ(why_not(trace, "which GPU"), "");
}

TEST(GpuCsv, RowsBehindEachHeaderThatNothingTellsApartAreSeveralGpus) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "utilization.gpu [%]\n80 %\n3 %\n5 %\n";
  const Trace trace = read(text);
  EXPECT_EQ(trace.snapshots.size(), 10u);
  EXPECT_THAT(utils_of(trace, 2), testing::Each(5));
}

TEST(GpuCsv, EvenRowsAreOfOneGpu) {
  std::string text = "timestamp, utilization.gpu [%]\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(100 + i) + ", 80 %\n";
  const Trace trace = read(text);
  EXPECT_EQ(trace.snapshots.size(), 40u);
  EXPECT_NE(why_not(trace, "which GPU"), "");
}

// ---- The other kinds
// ---------------------------------------------------------------------------------------

TEST(Dmon, ColumnsByTheirShortNames) {
  const Trace trace = read_sample("dmon");
  EXPECT_EQ(trace.kind, "dmon");
  EXPECT_THAT(utils_of(trace), ElementsAre(24, 96));
  EXPECT_THAT(times_of(trace), ElementsAre(0, 1));
  const GpuSeen& gpu = trace.snapshots.at(0).gpus.at(0);
  EXPECT_EQ(*gpu.memory_util_percent, 28);
  EXPECT_EQ(*gpu.memory_used_bytes, 11181ull << 20);
  EXPECT_EQ(*gpu.power_w, 64);
  EXPECT_EQ(*gpu.temperature_c, 43);
  EXPECT_EQ(*gpu.sm_clock_mhz, 1530);
  EXPECT_EQ(*gpu.pcie_rx_bytes_per_s, 3e6);
  EXPECT_EQ(trace.unreadable_values, 1u);  // rxpci; nobody asks for mtemp
}

TEST(Dmon, WithoutTimeItsDefaultPeriodIsAssumed) {
  const Trace trace = read(
      "# gpu     sm    jpg\n# Idx      %      %\n    0     46      9\n    1      2      0\n    0     45      "
      "8\n    1      3      0\n");
  EXPECT_THAT(times_of(trace), ElementsAre(0, 1));
  EXPECT_THAT(utils_of(trace, 1), ElementsAre(2, 3));
  EXPECT_EQ(*trace.snapshots.at(0).gpus.at(0).jpeg_percent, 9);
  EXPECT_THAT(why_not(trace, "time"), HasSubstr("one row a second"));
}

TEST(Dmon, TheFormatWithCommas) {
  EXPECT_THAT(utils_of(read("#gpu, sm, mem\n#Idx, %, %\n0, 46, 3\n0, 47, 3\n")), ElementsAre(46, 47));
}

TEST(SmiTable, GpusInstancesAndProcesses) {
  const Trace trace = read_sample("table");
  EXPECT_EQ(trace.kind, "nvidia-smi table");
  ASSERT_EQ(trace.snapshots.size(), 1u);
  EXPECT_EQ(trace.snapshots[0].wall_s, 1739693445);
  const auto& gpus = trace.snapshots[0].gpus;
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(gpus[0].name, "NVIDIA A100-SXM4-80GB");
  EXPECT_FALSE(gpus[0].util_percent.known());
  EXPECT_EQ(*gpus[0].power_limit_w, 400);
  ASSERT_EQ(gpus[0].processes->size(), 1u);
  EXPECT_EQ(gpus[0].processes->at(0).pid, 4711);
  EXPECT_EQ(gpus[0].processes->at(0).name, "python train.py");
  EXPECT_EQ(gpus[0].processes->at(0).kind, "compute");
  EXPECT_EQ(*gpus[0].processes->at(0).memory_bytes, 5716ull << 20);
  EXPECT_EQ(gpus[1].mig_parent, "GPU 0");
  EXPECT_EQ(*gpus[1].memory_total_bytes, 19968ull << 20);
  EXPECT_FALSE(gpus[1].util_percent.known());
  EXPECT_EQ(gpus[2].name, "Tesla V100");
  EXPECT_EQ(*gpus[2].util_percent, 97);
  EXPECT_EQ(*gpus[2].temperature_c, 31);
  EXPECT_EQ(gpus[2].power_w.why(), "the log says \"ERR!\"");
  // Memory is held and nobody is listed: a container's list is empty.
  EXPECT_THAT(gpus[2].processes.why(), HasSubstr("container"));
  EXPECT_EQ(trace.unreadable_values, 2u);
}

TEST(SmiTable, EachTableIsASnapshot) {
  std::string text;
  for (const auto& sample : log_samples::all())
    if (sample.name == "table") text = sample.text;
  std::string later = text;
  later.replace(later.find("08:10:45"), 8, "08:11:45");
  EXPECT_THAT(times_of(read(text + later)), ElementsAre(0, 60));
}

TEST(Gpustat, FansAndWattsMayBeShownOrNot) {
  const Trace trace = read_sample("gpustat");
  EXPECT_EQ(trace.kind, "gpustat");
  ASSERT_EQ(trace.snapshots.size(), 1u);
  const auto& gpus = trace.snapshots[0].gpus;
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(*gpus[0].util_percent, 17);
  EXPECT_EQ(*gpus[0].power_w, 18);
  EXPECT_EQ(*gpus[0].power_limit_w, 175);
  EXPECT_EQ(*gpus[0].memory_used_bytes, 7584ull << 20);
  ASSERT_EQ(gpus[0].processes->size(), 2u);
  EXPECT_EQ(gpus[0].processes->at(0).name, "python");
  EXPECT_EQ(gpus[0].processes->at(0).pid, 820594);
  EXPECT_EQ(*gpus[0].processes->at(0).memory_bytes, 7581ull << 20);
  EXPECT_EQ(*gpus[1].util_percent, 95);
  EXPECT_EQ(*gpus[1].temperature_c, 56);
  EXPECT_FALSE(gpus[1].power_w.known());
  EXPECT_EQ(trace.unreadable_values, 0u);
}

TEST(Gpustat, ATerminalsColoursAreLeftOut) {
  EXPECT_THAT(
      utils_of(read("\x1b[1mhost\x1b[m Thu Nov 10 12:43:38 2022\n"
                    "\x1b[36m[0]\x1b[m GTX | \x1b[31m56'C\x1b[m, \x1b[32m 95 %\x1b[m |  1 / 2 MB |\n")),
      ElementsAre(95));
}

TEST(DcgmText, GpuAndInstanceStandApartAndContradictionsStay) {
  const Trace trace = read_sample("dcgm-text");
  EXPECT_EQ(trace.kind, "DCGM exporter");
  ASSERT_EQ(trace.snapshots.size(), 2u);
  EXPECT_THAT(times_of(trace), ElementsAre(0, 5));
  const auto& gpus = trace.snapshots[0].gpus;
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].name, "A \"100\"");
  EXPECT_EQ(gpus[0].uuid, "GPU-0");
  EXPECT_EQ(*gpus[0].util_percent, 98);
  EXPECT_EQ(*gpus[0].engine_active_percent, 0);
  EXPECT_FALSE(gpus[0].sm_active_percent.known());
  EXPECT_EQ(gpus[1].mig_parent, "GPU-0");
  EXPECT_EQ(*gpus[1].sm_active_percent, 50);
}

TEST(DcgmCsv, RowsArePutInOrderOfTime) {
  const Trace trace = read_sample("dcgm-csv");
  EXPECT_EQ(trace.kind, "DCGM csv");
  EXPECT_THAT(utils_of(trace), ElementsAre(60, 70));
  EXPECT_EQ(*trace.snapshots.at(0).gpus.at(0).slow_reasons, kSlowIdle);
  EXPECT_EQ(*trace.snapshots.at(0).gpus.at(1).power_w, 71.78);
  EXPECT_NEAR(trace.snapshots.at(1).time_s, 0.257213, 1e-6);
}

TEST(WandbEvents, GpusAndTheHost) {
  const Trace trace = read_sample("wandb");
  EXPECT_EQ(trace.kind, "W&B events");
  EXPECT_THAT(utils_of(trace), ElementsAre(4.5, 6.5));
  const Snapshot& first = trace.snapshots.at(0);
  EXPECT_EQ(*first.gpus.at(0).power_w, 28);
  EXPECT_NEAR(*first.gpus.at(0).power_limit_w, 70, 1e-9);
  EXPECT_EQ(*first.host.cpu_percent, 65.25);
  EXPECT_EQ(*first.host.memory_available_bytes, 8000ull << 20);
  EXPECT_EQ(*first.host.memory_total_bytes, 10000ull << 20);
  EXPECT_EQ(first.networks.at(0).received_bytes, 34u);
  EXPECT_THAT(times_of(trace), ElementsAre(0, 60));
  EXPECT_THAT(why_not(trace, "one line"), HasSubstr("line 2"));  // NaN is no JSON
  EXPECT_NE(why_not(trace, "waveform"), "");
}

TEST(WandbEvents, BytesOfDisksInLaterClients) {
  const Trace trace = read(
      "{\"system.gpu.1.gpu\":3,\"system.disk.in\":2.5,\"system.disk.out\":1,\"_timestamp\":1582070941}\n");
  EXPECT_EQ(trace.snapshots.at(0).devices.at(0).read_bytes, 2500000u);
  EXPECT_EQ(trace.snapshots.at(0).gpus.at(0).index, 1);
}

TEST(Tegrastats, TheGpusLoadAndTheCpus) {
  const Trace trace = read_sample("tegrastats");
  EXPECT_EQ(trace.kind, "tegrastats");
  EXPECT_THAT(utils_of(trace), ElementsAre(42, 43));
  EXPECT_EQ(*trace.snapshots.at(0).host.cpu_percent, 20);
  EXPECT_EQ(*trace.snapshots.at(0).host.online_cpus, 2);
  EXPECT_EQ(*trace.snapshots.at(0).gpus.at(0).power_w, 0.925);
  EXPECT_EQ(*trace.snapshots.at(0).gpus.at(0).temperature_c, 31.5);
  EXPECT_EQ(*trace.snapshots.at(1).gpus.at(0).power_w, 1);
}

}  // namespace
}  // namespace stoker::watch
