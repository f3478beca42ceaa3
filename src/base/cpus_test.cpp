#include "base/cpus.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace stoker {
namespace {

class CpuLimitsTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) { dir_.write(path, text); }
  CpuLimits read() { return read_cpu_limits(dir_.path("proc"), dir_.path("cgroup")); }
  test::TempDir dir_;
};

TEST_F(CpuLimitsTest, V2TakesTheSmallestQuotaOfAllAncestors) {
  write("proc/self/cgroup", "0::/pod/container\n");
  write("cgroup/pod/container/cpu.max", "max 100000\n");
  write("cgroup/pod/cpu.max", "150000 100000\n");
  const CpuLimits limits = read();
  ASSERT_TRUE(limits.cgroup_quota);
  EXPECT_DOUBLE_EQ(*limits.cgroup_quota, 1.5);
  EXPECT_EQ(limits.cgroup_quota_source, dir_.path("cgroup/pod/cpu.max"));
}

TEST_F(CpuLimitsTest, V1ReadsQuotaAndPeriodOfTheCpuController) {
  write("proc/self/cgroup", "4:memory:/a\n3:cpu,cpuacct:/a/b\n2:cpuset:/a\n");
  write("cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  write("cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  write("cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  write("cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  const CpuLimits limits = read();
  ASSERT_TRUE(limits.cgroup_quota);
  EXPECT_DOUBLE_EQ(*limits.cgroup_quota, 0.5);
  EXPECT_EQ(limits.allowed(), 1);
}

TEST_F(CpuLimitsTest, ANamespacedContainerSeesItsQuotaAtTheRoot) {
  write("proc/self/cgroup", "0::/../../elsewhere/that/is/not/mounted\n");
  write("cgroup/cpu.max", "765000 100000\n");
  EXPECT_DOUBLE_EQ(read().cgroup_quota.value(), 7.65);
}

TEST_F(CpuLimitsTest, NoQuotaIsAbsentNotZero) {
  write("proc/self/cgroup", "0::/\n");
  write("cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(read().cgroup_quota);
  EXPECT_GE(read().allowed(), 1);
}

TEST_F(CpuLimitsTest, GarbageIsPassedOver) {
  write("proc/self/cgroup", "nonsense\n0::/x\n");
  write("cgroup/x/cpu.max", "lots of cpus\n");
  EXPECT_FALSE(read().cgroup_quota);
}

TEST(CpuLimits, QuotaRoundsUpAndNeverExceedsTheMask) {
  CpuLimits limits{.online = 96, .affinity = 96, .cgroup_quota = 7.65, .cgroup_quota_source = ""};
  EXPECT_EQ(limits.allowed(), 8);
  limits.affinity = 4;
  EXPECT_EQ(limits.allowed(), 4);
  limits.cgroup_quota = 0.1;
  EXPECT_EQ(limits.allowed(), 1);
}

}  // namespace
}  // namespace stoker
