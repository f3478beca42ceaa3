#include "base/cgroups.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace stoker {
namespace {

class Cgroups : public testing::Test {
 protected:
  void group(const std::string& path) { dir_.write("cgroup/" + path + "/cgroup.procs", ""); }
  std::string at(const std::string& path) { return dir_.path("cgroup" + path); }
  std::vector<CgroupHierarchy> read(const std::string& process = "7") {
    return read_cgroups(dir_.path("proc"), process, dir_.path("cgroup"));
  }
  test::TempDir dir_;
};

TEST_F(Cgroups, V2GivesEveryLevelOwnFirst) {
  dir_.write("proc/7/cgroup", "0::/pod/train\n");
  group("pod/train");
  const auto found = read();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].v2());
  EXPECT_TRUE(found[0].controls("memory"));
  EXPECT_EQ(found[0].folders, (std::vector<std::string>{at("/pod/train"), at("/pod"), at("")}));
}

TEST_F(Cgroups, HybridHasV1ControllersAndTheUnifiedFolder) {
  dir_.write("proc/7/cgroup", "9:name=systemd:/x\n3:cpu,cpuacct:/a\n2:blkio:/\n0::/a\n");
  group("cpu,cpuacct/a");
  group("blkio");
  group("unified/a");
  const auto found = read();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].folders, (std::vector<std::string>{at("/cpu,cpuacct/a"), at("/cpu,cpuacct")}));
  EXPECT_TRUE(found[0].controls("cpu"));
  EXPECT_FALSE(found[0].controls("blkio"));
  EXPECT_EQ(found[1].folders, (std::vector<std::string>{at("/blkio")}));
  EXPECT_EQ(found[2].folders, (std::vector<std::string>{at("/unified/a"), at("/unified")}));
}

TEST_F(Cgroups, AControllerMayBeMountedUnderItsOwnName) {
  dir_.write("proc/7/cgroup", "3:cpu,cpuacct:/a\n");
  group("cpuacct/a");
  ASSERT_EQ(read().size(), 1U);
  EXPECT_EQ(read()[0].folders.front(), at("/cpuacct/a"));
}

// A container of the time before cgroup namespaces: the whole path is told, its end is mounted.
TEST_F(Cgroups, AMountedGroupIsTakenOffThePath) {
  dir_.write("proc/7/cgroup", "3:memory:/docker/0a1b/job\n");
  dir_.write("proc/self/mountinfo",
             "40 30 0:30 /docker/0a1b " + at("/memory") + " ro - cgroup cgroup rw,memory\n");
  group("memory/job");
  ASSERT_EQ(read().size(), 1U);
  EXPECT_EQ(read()[0].folders, (std::vector<std::string>{at("/memory/job"), at("/memory")}));
}

TEST_F(Cgroups, AGroupOutsideTheNamespaceLeavesTheRoot) {
  dir_.write("proc/self/cgroup", "0::/../../elsewhere\n");
  group("");
  ASSERT_EQ(read("self").size(), 1U);
  EXPECT_EQ(read("self")[0].folders, (std::vector<std::string>{at("")}));
}

TEST_F(Cgroups, NothingIsFoundWhereNothingIs) {
  EXPECT_TRUE(read().empty());
  dir_.write("proc/7/cgroup", "garbage\n4:cpu:/a\n");
  EXPECT_TRUE(read().empty());
}

TEST(CpuQuota, ReadsBothVersions) {
  EXPECT_DOUBLE_EQ(parse_cpu_quota("150000 100000").value(), 1.5);
  EXPECT_FALSE(parse_cpu_quota("max 100000"));
  EXPECT_FALSE(parse_cpu_quota("-1 100000"));
  EXPECT_FALSE(parse_cpu_quota("5 0"));
  EXPECT_FALSE(parse_cpu_quota(""));
}

}  // namespace
}  // namespace stoker
