#include "watch/logs/columns.hpp"

#include <gtest/gtest.h>

#include "watch/logs/cells.hpp"

namespace stoker::watch {
namespace {

Field field_of(const char* header) { return find_column(header).field; }

TEST(Columns, OneFieldHasManyNames) {
  for (const char* name : {"utilization.gpu [%]", "utilization.gpu(%)", "utilization_gpu_percent", "gpu_util",
                           "GPU Utilization", "gpuUtil", "Utilization", "gpu_util_pct", "GPU-Util", "gpu [%]",
                           "DCGM_FI_DEV_GPU_UTIL", "dmon sm", "dcgm gpu_utilization"})
    EXPECT_EQ(field_of(name), Field::util) << name;
  for (const char* name : {"memory.used [MiB]", "memory_used", "mem_used_mb", "used_memory [MiB]", "vram_gb"})
    EXPECT_EQ(field_of(name), Field::memory_used) << name;
  for (const char* name : {"power.draw [W]", "power_W", "power.draw", "power_usage", "Power (W)"})
    EXPECT_EQ(field_of(name), Field::power) << name;
  for (const char* name : {"index", "gpu_index", "GPU_ID", "GPUId", "gpu"})
    EXPECT_EQ(field_of(name), Field::gpu) << name;
}

TEST(Columns, WhatSaysNothingHere) {
  for (const char* name : {"", "pstate", "fan.speed [%]", "memory.used [%]", "pcie.link", "licence",
                           "system.memory", "system.gpu.process.0.gpu", "mem_used_percent"})
    EXPECT_EQ(field_of(name), Field::none) << name;
  EXPECT_EQ(field_of(std::string(1000000, 'x').c_str()), Field::none);
}

TEST(Columns, AColumnMayBeOfOneGpu) {
  for (const char* name :
       {"gpu1_util", "gpu_1_utilization_percent", "util_1", "GPU 1 [%]", "system.gpu.1.gpu"}) {
    EXPECT_EQ(find_column(name).gpu, 1) << name;
    EXPECT_EQ(find_column(name).field, Field::util) << name;
  }
  EXPECT_EQ(find_column("gpu_util").gpu, std::nullopt);
}

std::optional<double> number(const char* header, const char* cell) {
  return number_of(find_column(header), cell);
}

TEST(Cells, TheUnitOfACellGoesBeforeItsColumns) {
  EXPECT_EQ(number("memory.used [MiB]", "25073 MiB"), 25073.0 * 1048576);
  EXPECT_EQ(number("memory.used [MiB]", "25073"), 25073.0 * 1048576);
  EXPECT_EQ(number("memory_used", "25073"), 25073.0 * 1048576);
  EXPECT_EQ(number("vram_gb", "2"), 2147483648.0);
  EXPECT_EQ(number("vram_gb", "2 MiB"), 2097152.0);
  EXPECT_EQ(number("power_mw", "56240"), 56.24);
  EXPECT_EQ(number("utilization.gpu [%]", "98 %"), 98);
  EXPECT_EQ(number("utilization.gpu [%]", "98%"), 98);
}

TEST(Cells, UnitsThatScriptsForget) {
  EXPECT_EQ(number("memory_used", "26290946048"), 26290946048.0);
  EXPECT_EQ(number("power", "387260"), 387.26);
  EXPECT_EQ(number("gpu.frequency(Ghz)", "1980"), 1980);
  EXPECT_EQ(number("gpu.frequency(Ghz)", "1.98"), 1980);
}

TEST(Cells, DecimalCommasAndSecondLines) {
  EXPECT_EQ(number("power_w", "26,5"), 26.5);
  EXPECT_EQ(number("power_w", "26.11\n0"), 26.11);
}

TEST(Cells, WhatCannotBeRead) {
  for (const char* cell : {"", "[N/A]", "N/A", "[Not Supported]", "ERR!", "[Unknown Error]", "-", "??",
                           "-1 %", "101 %", "1e300", "nan", "inf", "98 MiB", "98 of 100", "0x10"})
    EXPECT_EQ(number("utilization.gpu [%]", cell), std::nullopt) << cell;
  EXPECT_EQ(number("memory_used", "1e18"), std::nullopt);
}

TEST(Cells, AnUnreadableCellSaysWhatTheLogSaid) {
  GpuSeen gpu;
  EXPECT_FALSE(put_cell(find_column("power.draw [W]"), "[Not Supported]", gpu));
  EXPECT_FALSE(gpu.power_w.known());
  EXPECT_EQ(gpu.power_w.why(), "the log says \"[Not Supported]\"");
}

TEST(Cells, MeanPowerGoesBeforeTheInstants) {
  for (const bool instant_first : {false, true}) {
    GpuSeen gpu;
    const Column mean = find_column("power.draw [W]"), instant = find_column("power.draw.instant [W]");
    if (instant_first) put_cell(instant, "99 W", gpu);
    put_cell(mean, "50 W", gpu);
    if (!instant_first) put_cell(instant, "99 W", gpu);
    EXPECT_EQ(*gpu.power_w, 50);
  }
}

TEST(Cells, ReasonsOfSlowClocks) {
  GpuSeen gpu;
  EXPECT_TRUE(put_cell(find_column("clocks_event_reasons.active"), "0x0000000000000005", gpu));
  EXPECT_EQ(*gpu.slow_reasons, kSlowIdle | kSlowPowerCap);
  EXPECT_FALSE(put_cell(find_column("clocks_event_reasons.active"), "[N/A]", gpu));
  GpuSeen other;
  EXPECT_TRUE(put_cell(find_column("clocks_throttle_reasons.sw_power_cap"), "Not Active", other));
  EXPECT_EQ(*other.slow_reasons, 0u);
  EXPECT_TRUE(put_cell(find_column("clocks_event_reasons.hw_thermal_slowdown"), "Active", other));
  EXPECT_EQ(*other.slow_reasons, kSlowHardwareThermal);
  EXPECT_FALSE(put_cell(find_column("clocks_event_reasons.sync_boost"), "[N/A]", other));
}

TEST(Cells, NumbersOfGpus) {
  EXPECT_EQ(gpu_number(" 3"), 3);
  EXPECT_EQ(gpu_number("GPU 3"), 3);
  EXPECT_EQ(gpu_number("cuda:1"), 1);
  EXPECT_EQ(gpu_number("nvidia0"), 0);
  for (const char* cell : {"", "x", "-1", "RTX 2070", "9999999999", "1024"})
    EXPECT_EQ(gpu_number(cell), std::nullopt) << cell;
}

}  // namespace
}  // namespace stoker::watch
