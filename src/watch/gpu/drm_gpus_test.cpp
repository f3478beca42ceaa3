#include "watch/gpu/drm_gpus.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_dir.hpp"
#include "watch/gpu/gpu_probe.hpp"

namespace stoker::watch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Cards : public ::testing::Test {
 protected:
  void card(const std::string& name, const std::string& vendor, const std::string& pci) {
    file(name, "device/vendor", vendor + "\n");
    file(name, "device/device", "0x740f\n");
    file(name, "device/uevent", "DRIVER=amdgpu\nPCI_ID=1002:740F\nPCI_SLOT_NAME=" + pci + "\nMODALIAS=x\n");
  }
  void file(const std::string& card, const std::string& name, const std::string& text) {
    folder_.write("sys/class/drm/" + card + "/" + name, text);
  }
  void amd(const std::string& name = "card0", const std::string& pci = "0000:03:00.0") {
    card(name, "0x1002", pci);
    file(name, "device/mem_info_vram_total", "68702699520\n");
  }
  void client(const std::string& pid, const std::string& text) {
    folder_.write("proc/" + pid + "/comm", "python\n");
    folder_.write("proc/" + pid + "/fdinfo/7", text);
    std::filesystem::create_directories(folder_.path("proc/" + pid + "/fd"));
    if (!std::filesystem::is_symlink(folder_.path("proc/" + pid + "/fd/7")))
      std::filesystem::create_symlink("/dev/dri/renderD128", folder_.path("proc/" + pid + "/fd/7"));
  }
  WatchOptions options() const {
    WatchOptions options;
    options.proc_root = folder_.path("proc");
    options.sys_root = folder_.path("sys");
    options.nvml_library = folder_.path("no-library");
    return options;
  }
  static std::vector<GpuSeen> read(DrmGpus& gpus, double time) {
    Snapshot snapshot;
    gpus.read(snapshot, time);
    return snapshot.gpus;
  }

  test::TempDir folder_;
};

TEST_F(Cards, AmdByTheFilesOfItsDriver) {
  amd();
  file("card0", "device/product_name", "AMD Instinct MI210\n");
  file("card0", "device/unique_id", "f4a3b5\n");
  file("card0", "device/gpu_busy_percent", "87\n");
  file("card0", "device/mem_busy_percent", "41\n");
  file("card0", "device/mem_info_vram_used", "1048576\n");
  file("card0", "device/current_link_speed", "16.0 GT/s PCIe\n");
  file("card0", "device/max_link_speed", "32.0 GT/s PCIe\n");
  file("card0", "device/current_link_width", "8\n");
  file("card0", "device/max_link_width", "16\n");
  file("card0", "device/pp_dpm_sclk", "0: 500Mhz\n1: 800Mhz *\n2: 1700Mhz\n");
  file("card0", "device/hwmon/hwmon3/power1_average", "213000000\n");
  file("card0", "device/hwmon/hwmon3/power1_cap", "300000000\n");
  file("card0", "device/hwmon/hwmon3/freq1_input", "800000000\n");
  file("card0", "device/hwmon/hwmon3/temp1_input", "54000\n");
  DrmGpus gpus(options(), 0);
  const std::vector<GpuSeen> seen = read(gpus, 10);
  ASSERT_EQ(seen.size(), 1);
  const GpuSeen& gpu = seen[0];
  EXPECT_EQ(gpu.vendor, "amd");
  EXPECT_EQ(gpu.name, "AMD Instinct MI210");
  EXPECT_EQ(gpu.uuid, "f4a3b5");
  EXPECT_EQ(gpu.util_percent, Reading<double>(87));
  EXPECT_EQ(gpu.memory_util_percent, Reading<double>(41));
  EXPECT_EQ(gpu.memory_used_bytes, Reading<std::uint64_t>(1048576));
  EXPECT_EQ(gpu.memory_total_bytes, Reading<std::uint64_t>(68702699520));
  EXPECT_DOUBLE_EQ(*gpu.power_w, 213);
  EXPECT_DOUBLE_EQ(*gpu.power_limit_w, 300);
  EXPECT_DOUBLE_EQ(*gpu.sm_clock_mhz, 800);
  EXPECT_DOUBLE_EQ(*gpu.sm_clock_max_mhz, 1700);
  EXPECT_DOUBLE_EQ(*gpu.temperature_c, 54);
  EXPECT_EQ(gpu.pcie_generation, Reading<int>(4));
  EXPECT_EQ(gpu.pcie_generation_max, Reading<int>(5));
  EXPECT_EQ(gpu.pcie_width, Reading<int>(8));
  EXPECT_EQ(gpu.pcie_width_max, Reading<int>(16));
  EXPECT_FALSE(gpu.sm_active_percent.known());
  EXPECT_THAT(gpu.samples, IsEmpty());
}

TEST_F(Cards, WhatAmdsDriverDoesNotTellIsUnknown) {
  amd();
  file("card0", "device/gpu_busy_percent", "250\n");
  file("card0", "device/mem_busy_percent", "\n");
  file("card0", "device/current_link_speed", "Unknown\n");
  DrmGpus gpus(options(), 0);
  const GpuSeen gpu = read(gpus, 10).at(0);
  EXPECT_EQ(gpu.name, "AMD GPU 0x740f");
  EXPECT_THAT(gpu.util_percent.why(), HasSubstr("garbage: 250 %"));
  EXPECT_THAT(gpu.memory_util_percent.why(), HasSubstr("no number"));
  EXPECT_FALSE(gpu.power_w.known());
  EXPECT_FALSE(gpu.power_w.why().empty());
  EXPECT_FALSE(gpu.pcie_generation.known());
}

TEST_F(Cards, AmdIsPolledBetweenLooks) {
  amd();
  file("card0", "device/gpu_busy_percent", "100\n");
  DrmGpus gpus(options(), 0);
  gpus.poll(9);  // before the first look: nothing to be between
  EXPECT_THAT(read(gpus, 10).at(0).samples, IsEmpty());
  gpus.poll(10.1);
  gpus.poll(10.2);
  file("card0", "device/gpu_busy_percent", "0\n");
  gpus.poll(10.3);
  gpus.poll(10.5);
  const GpuSeen gpu = read(gpus, 10.6).at(0);
  EXPECT_THAT(gpu.samples, ElementsAre(GpuSample{10.2, 100}, GpuSample{10.5, 0}, GpuSample{10.6, 0}));
  EXPECT_NEAR(*gpu.sample_interval_s, 0.2, 1e-9);
}

TEST_F(Cards, AmdsProcessesByTheirEngines) {
  amd();
  const std::string head =
      "drm-driver:\tamdgpu\ndrm-client-id:\t5\ndrm-pdev:\t0000:03:00.0\ndrm-memory-vram:\t2048 KiB\n";
  client("100", head + "drm-engine-compute:\t1000000000 ns\ndrm-engine-dma:\t0 ns\n");
  client("101", "drm-driver:\tamdgpu\ndrm-client-id:\t6\ndrm-pdev:\t0000:99:00.0\n");
  DrmGpus gpus(options(), 0);
  EXPECT_FALSE(read(gpus, 10).at(0).processes->at(0).sm_percent.known());
  client("100", head + "drm-engine-compute:\t1500000000 ns\ndrm-engine-dma:\t2000000000 ns\n");
  const GpuSeen gpu = read(gpus, 12).at(0);
  ASSERT_EQ(gpu.processes->size(), 1);  // the other one is on another GPU
  const GpuProcess& process = gpu.processes->at(0);
  EXPECT_EQ(process.pid, 100);
  EXPECT_EQ(process.kind, "compute");
  EXPECT_EQ(process.memory_bytes, Reading<std::uint64_t>(2ULL << 20));
  EXPECT_DOUBLE_EQ(*process.sm_percent, 25);  // copies do not count
}

TEST_F(Cards, RocmsProcesses) {
  amd("card0", "0000:03:00.0");
  amd("card1", "0000:c3:00.0");
  folder_.write("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
  folder_.write("sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 64\nlocation_id 0\n");
  folder_.write("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "4711\n");
  folder_.write("sys/class/kfd/kfd/topology/nodes/1/properties",
                "cpu_cores_count 0\nlocation_id 49920\ndomain 0\n");  // c3:00.0
  folder_.write("sys/class/kfd/kfd/proc/200/vram_4711", "1073741824\n");
  folder_.write("sys/class/kfd/kfd/proc/201/vram_4711", "0\n");
  DrmGpus gpus(options(), 0);
  const std::vector<GpuSeen> seen = read(gpus, 10);
  EXPECT_THAT(*seen.at(0).processes, IsEmpty());
  ASSERT_EQ(seen.at(1).processes->size(), 1);
  EXPECT_EQ(seen[1].processes->at(0).pid, 200);
  EXPECT_EQ(seen[1].processes->at(0).kind, "compute");
  EXPECT_EQ(seen[1].processes->at(0).memory_bytes, Reading<std::uint64_t>(1ULL << 30));
}

std::string i915(const std::string& id, double render_s, double video_s) {
  return "drm-driver:\ti915\ndrm-client-id:\t" + id + "\ndrm-pdev:\t0000:03:00.0\n" + "drm-engine-render:\t" +
         std::to_string(static_cast<long>(render_s * 1e9)) + " ns\n" + "drm-engine-video:\t" +
         std::to_string(static_cast<long>(video_s * 1e9)) + " ns\n" + "drm-resident-local0:\t512 MiB\n";
}

TEST_F(Cards, IntelByWhatItsProcessesHad) {
  card("card0", "0x8086", "0000:03:00.0");
  file("card0", "gt_act_freq_mhz", "1100\n");
  file("card0", "gt_RP0_freq_mhz", "2050\n");
  file("card0", "device/hwmon/hwmon1/energy1_input", "5000000\n");
  client("100", i915("1", 3, 0));
  client("101", i915("2", 0, 0));
  DrmGpus gpus(options(), 0);
  const GpuSeen first = read(gpus, 10).at(0);
  EXPECT_THAT(first.util_percent.why(), HasSubstr("second look"));
  EXPECT_THAT(first.power_w.why(), HasSubstr("second look"));
  client("100", i915("1", 3.5, 1.9));
  client("101", i915("2", 0.3, 0));
  file("card0", "device/hwmon/hwmon1/energy1_input", "205000000\n");
  const GpuSeen gpu = read(gpus, 12).at(0);
  EXPECT_NEAR(*gpu.util_percent, 40, 1e-6);  // 0.8 s of 2 s; video does not count
  ASSERT_EQ(gpu.samples.size(), 1);
  EXPECT_EQ(gpu.samples[0].time_s, 12);
  EXPECT_DOUBLE_EQ(*gpu.sample_interval_s, 2);
  EXPECT_DOUBLE_EQ(*gpu.power_w, 100);
  EXPECT_DOUBLE_EQ(*gpu.energy_j, 205);
  EXPECT_EQ(gpu.memory_used_bytes, Reading<std::uint64_t>(1ULL << 30));
  EXPECT_DOUBLE_EQ(*gpu.sm_clock_mhz, 1100);
  EXPECT_DOUBLE_EQ(*gpu.sm_clock_max_mhz, 2050);
  EXPECT_NEAR(*gpu.processes->at(0).sm_percent + *gpu.processes->at(1).sm_percent, 40, 1e-6);
}

TEST_F(Cards, IntelsNewerDriverCountsCycles) {
  card("card0", "0x8086", "0000:03:00.0");
  file("card0", "device/tile0/gt0/freq0/act_freq", "1500\n");
  file("card0", "device/tile0/gt0/freq0/rp0_freq", "2400\n");
  const std::string head = "drm-driver:\txe\ndrm-client-id:\t3\ndrm-pdev:\t0000:03:00.0\n";
  client("100", head + "drm-cycles-ccs:\t1000\ndrm-total-cycles-ccs:\t5000\ndrm-engine-capacity-ccs:\t4\n");
  DrmGpus gpus(options(), 0);
  read(gpus, 10);
  client("100", head + "drm-cycles-ccs:\t3000\ndrm-total-cycles-ccs:\t6000\ndrm-engine-capacity-ccs:\t4\n");
  const GpuSeen gpu = read(gpus, 11).at(0);
  EXPECT_DOUBLE_EQ(*gpu.util_percent, 50);  // 2000 of 1000 on each of 4 engines
  EXPECT_DOUBLE_EQ(*gpu.sm_clock_mhz, 1500);
  EXPECT_EQ(gpu.processes->at(0).kind, "compute");
}

TEST_F(Cards, AProcessThatCameLateHasNoShareOfOldCycles) {
  card("card0", "0x8086", "0000:03:00.0");
  DrmGpus gpus(options(), 0);
  read(gpus, 10);
  client("100",
         "drm-driver:\txe\ndrm-client-id:\t3\ndrm-pdev:\t0000:03:00.0\n"
         "drm-cycles-rcs:\t900\ndrm-total-cycles-rcs:\t1000\n");
  EXPECT_FALSE(read(gpus, 11).at(0).processes->at(0).sm_percent.known());
}

TEST_F(Cards, AProcessorsOwnGpuCountsOnlyAlone) {
  card("card0", "0x8086", "0000:00:02.0");
  EXPECT_EQ(DrmGpus(options(), 0).empty(), false);
  EXPECT_EQ(DrmGpus(options(), 1).empty(), true);  // beside one of NVIDIA's
  amd("card1");
  file("card1-DP-1", "device/vendor", "0x1002\n");
  DrmGpus gpus(options(), 0);
  const std::vector<GpuSeen> seen = read(gpus, 1);
  ASSERT_EQ(seen.size(), 1);
  EXPECT_EQ(seen[0].vendor, "amd");
}

TEST_F(Cards, IndicesFollowOtherVendorsAndTheNumbersOrder) {
  amd("card10", "0000:10:00.0");
  amd("card2", "0000:02:00.0");
  file("card10", "device/unique_id", "ten\n");
  DrmGpus gpus(options(), 3);
  const std::vector<GpuSeen> seen = read(gpus, 1);
  ASSERT_EQ(seen.size(), 2);
  EXPECT_EQ(seen[0].index, 3);
  EXPECT_EQ(seen[1].index, 4);
  EXPECT_EQ(seen[1].uuid, "ten");
}

TEST_F(Cards, TheProbeNamesTheirProcesses) {
  amd();
  client("100", "drm-driver:\tamdgpu\ndrm-client-id:\t5\ndrm-pdev:\t0000:03:00.0\n");
  GpuProbe probe(options());
  Snapshot snapshot;
  probe.read(snapshot);
  ASSERT_EQ(snapshot.gpus.size(), 1);
  EXPECT_EQ(snapshot.gpus[0].processes->at(0).name, "python");
  EXPECT_TRUE(snapshot.gpus[0].processes->at(0).here);
  ASSERT_EQ(snapshot.not_seen.size(), 1);  // a library was named, and is none
  EXPECT_EQ(snapshot.not_seen[0].what, "NVIDIA GPUs");
}

TEST_F(Cards, AnotherMakersCardsAreNone) {
  card("card0", "0x1a03", "0000:02:00.0");  // a server's console
  EXPECT_TRUE(DrmGpus(options(), 0).empty());
}

}  // namespace
}  // namespace stoker::watch
