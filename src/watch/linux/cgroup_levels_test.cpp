#include "watch/linux/cgroup_levels.hpp"

#include <gtest/gtest.h>

#include "watch/linux/proc_fixture.hpp"

namespace stoker::watch {
namespace {

class CgroupReaderTest : public testing::Test {
 protected:
  std::vector<CgroupLevel> read(int online = 8) {
    return CgroupReader(proc_.root(), proc_.root("cgroup"), 10).read(online);
  }
  void in(const std::string& groups) { proc_.write("proc/10/cgroup", groups); }
  void file(const std::string& path, const std::string& text) { proc_.write("cgroup/" + path, text); }
  ProcFixture proc_;
};

TEST_F(CgroupReaderTest, V2ReadsEveryLimitOfALevel) {
  in("0::/pod/train\n");
  file("pod/train/cpu.max", "150000 100000\n");
  file("pod/train/cpu.stat", "usage_usec 9\nnr_periods 87\nnr_throttled 86\nthrottled_usec 7080000\n");
  file("pod/train/cpuset.cpus.effective", "0-1,4\n");
  file("pod/train/memory.max", "1073741824\n");
  file("pod/train/memory.current", "1000\n");
  file("pod/train/memory.stat", "anon 5\nworkingset_refault_anon 1\nworkingset_refault_file 42\n");
  file("pod/train/io.max",
       "254:0 rbps=1048576 wbps=max riops=max wiops=max\n8:0 rbps=max wbps=1 riops=100 wiops=max\n");
  file("pod/train/cpu.pressure", "some avg10=0 avg60=0 avg300=0 total=2000000\n");
  const auto levels = read();
  ASSERT_EQ(levels.size(), 1U);
  const CgroupLevel& level = levels[0];
  EXPECT_EQ(level.path, proc_.root("cgroup/pod/train"));
  EXPECT_EQ(level.version, 2);
  EXPECT_EQ(level.quota_cpus, 1.5);
  EXPECT_EQ(level.periods, 87U);
  EXPECT_EQ(level.throttled_periods, 86U);
  EXPECT_DOUBLE_EQ(level.throttled_s.value(), 7.08);
  EXPECT_EQ(level.cpuset_cpus, 3);
  EXPECT_EQ(level.memory_limit_bytes, 1073741824U);
  EXPECT_EQ(level.memory_used_bytes, 1000U);
  EXPECT_EQ(level.refaults, 42U);
  ASSERT_EQ(level.io_limits.size(), 2U);
  EXPECT_EQ(level.io_limits[0], (IoLimit{"254:0", 1048576.0, std::nullopt}));
  EXPECT_EQ(level.io_limits[1], (IoLimit{"8:0", std::nullopt, 100.0}));
  EXPECT_DOUBLE_EQ(level.cpu_pressure->some_s, 2);
  EXPECT_FALSE(level.io_pressure);
}

TEST_F(CgroupReaderTest, AncestorsFollowAndLevelsWithoutLimitsAreLeftOut) {
  in("0::/a/b/c\n");
  file("a/b/c/cpu.max", "max 100000\n");
  file("a/b/c/memory.max", "max\n");
  file("a/b/c/cpuset.cpus.effective", "0-7\n");
  file("a/b/cpu.max", "400000 100000\n");
  file("a/cpu.max", "50000 100000\n");
  const auto levels = read();
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].quota_cpus, 4.0);
  EXPECT_EQ(levels[1].quota_cpus, 0.5);
  EXPECT_FALSE(levels[0].periods);  // no cpu.stat there: not 0
}

TEST_F(CgroupReaderTest, V1ReadsEachControllerInItsOwnFolder) {
  in("7:blkio:/job\n4:memory:/job\n3:cpuset:/job\n1:cpu,cpuacct:/job\n");
  file("cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  file("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  file("cpu,cpuacct/job/cpu.stat", "nr_periods 10\nnr_throttled 9\nthrottled_time 1500000000\n");
  file("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  file("cpuset/job/cpuset.effective_cpus", "0\n");
  file("blkio/job/blkio.throttle.read_bps_device", "254:0 10000000\n");
  file("blkio/job/blkio.throttle.read_iops_device", "254:0 500\n8:16 20\n");
  const auto levels = read();
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].io_limits[0], (IoLimit{"254:0", 10000000.0, 500.0}));
  EXPECT_EQ(levels[0].io_limits[1], (IoLimit{"8:16", std::nullopt, 20.0}));
  EXPECT_EQ(levels[1].cpuset_cpus, 1);
  EXPECT_EQ(levels[2].version, 1);
  EXPECT_EQ(levels[2].quota_cpus, 0.5);
  EXPECT_EQ(levels[2].throttled_periods, 9U);
  EXPECT_DOUBLE_EQ(levels[2].throttled_s.value(), 1.5);
}

TEST_F(CgroupReaderTest, HybridTakesPressureFromTheUnifiedFolder) {
  in("1:cpu:/\n0::/\n");
  file("cpu/cpu.cfs_quota_us", "-1\n");
  file("unified/io.pressure",
       "some avg10=0 avg60=0 avg300=0 total=5\nfull avg10=0 avg60=0 avg300=0 total=3\n");
  const auto levels = read();
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].version, 2);
  EXPECT_TRUE(levels[0].io_pressure);
}

TEST_F(CgroupReaderTest, InANamespaceTheRootIsTheOwnGroup) {
  in("0::/\n");
  file("cpu.max", "200000 100000\n");
  file("cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_usec 10\n");
  ASSERT_EQ(read().size(), 1U);
  EXPECT_EQ(read()[0].quota_cpus, 2.0);
}

TEST_F(CgroupReaderTest, FollowsAProcessThatIsMoved) {
  in("0::/a\n");
  file("a/cpu.max", "100000 100000\n");
  file("b/cpu.max", "300000 100000\n");
  CgroupReader reader(proc_.root(), proc_.root("cgroup"), 10);
  EXPECT_EQ(reader.read(8).at(0).quota_cpus, 1.0);
  in("0::/b\n");
  EXPECT_EQ(reader.read(8).at(0).quota_cpus, 3.0);
  in("garbage");
  EXPECT_TRUE(reader.read(8).empty());
}

}  // namespace
}  // namespace stoker::watch
