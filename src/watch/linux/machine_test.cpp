// Host, devices, networks and mounts, by fixture trees.
#include <gtest/gtest.h>
#include <unistd.h>

#include "watch/linux/devices.hpp"
#include "watch/linux/host.hpp"
#include "watch/linux/mounts.hpp"
#include "watch/linux/proc_fixture.hpp"

namespace stoker::watch {
namespace {

TEST(HostReader, ReadsCountersSinceBoot) {
  const ProcFixture proc;
  proc.write("proc/uptime", "1234.50 99.00\n");
  proc.write("proc/stat",
             "cpu  300 0 100 5000 7 0 0 2 0 0\ncpu0 200 0 50 2500 7 0 0 2 0 0\ncpu2 100 0 50 2500 0 0 0 0 0 "
             "0\nintr 5\n");
  proc.write("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 3 kB\nMemAvailable:    400 kB\n");
  proc.write("proc/pressure/io",
             "some avg10=0 avg60=0 avg300=0 total=1000000\nfull avg10=0 avg60=0 avg300=0 total=5\n");
  proc.write("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
  proc.write("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n");
  const HostSeen host = HostReader(proc.root(), proc.root("sys")).read();
  EXPECT_EQ(host.uptime_s, 1234.5);
  EXPECT_EQ(host.online_cpus, 2);
  EXPECT_EQ(host.cores, 1);
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(host.cpu->busy_s(), 400 / ticks_per_s);
  ASSERT_EQ(host.per_cpu.size(), 2U);
  EXPECT_DOUBLE_EQ(host.per_cpu[1].user_s, 100 / ticks_per_s);
  EXPECT_EQ(host.memory_total_bytes, 1024000U);
  EXPECT_EQ(host.memory_available_bytes, 409600U);
  EXPECT_DOUBLE_EQ(host.io_pressure->some_s, 1);
  EXPECT_TRUE(host.watcher_cpu_s);
}

TEST(HostReader, WhatIsNotThereIsUnknownAndSaysWhy) {
  const ProcFixture proc;
  const HostSeen host = HostReader(proc.root(), proc.root("sys")).read();
  EXPECT_FALSE(host.cpu);
  EXPECT_FALSE(host.online_cpus);
  EXPECT_FALSE(host.cores);
  EXPECT_FALSE(host.memory_total_bytes);
  EXPECT_EQ(host.cpu_pressure.why(), "no PSI in this kernel");
  EXPECT_FALSE(host.uptime_s.why().empty());
}

constexpr const char* kDisks =
    "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    "   7       1 loop1 5 0 40 1 0 0 0 0 0 1 1 0 0\n"
    " 259       0 nvme0n1 100 5 2000 300 10 2 80 40 1 250 900 3 4 5 6 7 8\n"
    " 259       1 nvme0n1p1 90 5 1800 280 10 2 80 40 0 200 800\n"
    " 259       2 nvme0n1p2 10 0 200 20 0 0 0 0 0 20 20\n"
    "  11       0 sr0 0 0 0 0 0 0 0 0 0 0 0\n"
    "   8       0 garbage 1 2\n";

TEST(ReadDevices, WithoutSysfsAMountedPartitionStandsForItself) {
  const ProcFixture proc;
  proc.write("proc/diskstats", kDisks);
  for (const char* name : {"loop0", "loop1", "nvme0n1"})
    proc.write(fmt::format("sys/block/{}/size", name), "4096\n");
  proc.write("sys/block/sr0/size", "0\n");
  proc.write("sys/block/nvme0n1/queue/rotational", "0\n");
  std::vector<MountSeen> mounts = {
      {.path = "/data", .source = "/dev/nvme0n1p2", .type = "btrfs", .device = "0:40"}};
  const auto devices = read_devices(proc.root(), proc.root("sys"), mounts);
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[0].name, "loop1");
  EXPECT_EQ(devices[1].number, "259:0");
  EXPECT_EQ(devices[1].reads, 100U);
  EXPECT_EQ(devices[1].read_bytes, 2000U * 512);
  EXPECT_EQ(devices[1].writes, 10U);
  EXPECT_EQ(devices[1].written_bytes, 80U * 512);
  EXPECT_DOUBLE_EQ(devices[1].read_time_s, 0.3);
  EXPECT_DOUBLE_EQ(devices[1].busy_s, 0.25);
  EXPECT_DOUBLE_EQ(devices[1].weighted_s, 0.9);
  EXPECT_EQ(devices[1].rotational, false);
  EXPECT_EQ(devices[2].name, "nvme0n1p2");
  EXPECT_EQ(mounts[0].device, "259:2");
}

TEST(ReadDevices, AMountOfAPartitionNamesItsDisk) {
  const ProcFixture proc;
  proc.write("proc/diskstats", kDisks);
  proc.write("sys/block/nvme0n1/size", "4096\n");
  proc.write("sys/devices/nvme0n1/dev", "259:0\n");
  proc.write("sys/devices/nvme0n1/nvme0n1p1/partition", "1\n");
  proc.link("sys/dev/block/259:1", "../../devices/nvme0n1/nvme0n1p1");
  std::vector<MountSeen> mounts = {
      {.path = "/", .source = "/dev/nvme0n1p1", .type = "ext4", .device = "259:1"}};
  const auto devices = read_devices(proc.root(), proc.root("sys"), mounts);
  EXPECT_EQ(mounts[0].device, "259:0");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, "nvme0n1");
}

constexpr const char* kNetHead =
    "Inter-|   Receive                |  Transmit\n face |bytes    packets errs drop fifo frame compressed "
    "multicast|bytes\n";

TEST(ReadNetworks, TakesTheProcessesOwnNamespace) {
  const ProcFixture proc;
  proc.write("proc/net/dev", std::string(kNetHead) + "  eth9: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
  proc.write("proc/10/net/dev",
             std::string(kNetHead) +
                 "    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n  eth0:5000 9 0 0 0 0 0 0 700 9 0 0 0 0 0 0\n"
                 "  ib0: 80 9 0 0 0 0 0 0 7 9 0 0 0 0 0 0\n  idle: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  proc.write("sys/class/net/eth0/speed", "10000\n");
  proc.write("sys/class/net/ib0/speed", "-1\n");
  const auto networks = read_networks(proc.root(), proc.root("sys"), 10);
  ASSERT_EQ(networks.size(), 2U);
  EXPECT_EQ(networks[0].name, "eth0");
  EXPECT_EQ(networks[0].received_bytes, 5000U);
  EXPECT_EQ(networks[0].sent_bytes, 700U);
  EXPECT_EQ(networks[0].speed_bytes_per_s, 1.25e9);
  EXPECT_FALSE(networks[1].speed_bytes_per_s);
  EXPECT_EQ(read_networks(proc.root(), proc.root("sys"), 11).at(0).name, "eth9");
}

constexpr const char* kMounts =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw\n"
    "30 27 0:44 / /mnt/my\\040data rw - fuse.sshfs host:/x rw\n"
    "31 27 0:45 /sub /mnt/nfs rw - nfs4 10.0.0.1:/x rw,vers=4.1\n"
    "32 27 259:1 / /mnt rw - fuseblk /dev/nvme0n1p1 rw\n"
    "too short\n";

TEST(Mounts, AreParsedAndMatchedByTheLongestPath) {
  const auto mounts = parse_mountinfo(kMounts);
  ASSERT_EQ(mounts.size(), 5U);
  EXPECT_EQ(mounts[2].path, "/mnt/my data");
  EXPECT_TRUE(mounts[2].network);
  EXPECT_EQ(mounts[3].source, "10.0.0.1:/x");
  EXPECT_TRUE(mounts[3].network);
  EXPECT_FALSE(mounts[4].network);
  EXPECT_EQ(mount_of(mounts, "/mnt/my data/a.jpg")->type, "fuse.sshfs");
  EXPECT_EQ(mount_of(mounts, "/mnt/my dataset/a.jpg")->path, "/mnt");
  EXPECT_EQ(mount_of(mounts, "/opt/a")->device, "254:0");
  EXPECT_EQ(mount_of(mounts, "relative"), nullptr);
}

TEST(Mounts, OfTwoAtOnePlaceTheLaterIsSeen) {
  const auto mounts = parse_mountinfo("1 0 8:1 / /a rw - ext4 /dev/a rw\n2 1 8:2 / /a rw - xfs /dev/b rw\n");
  EXPECT_EQ(mount_of(mounts, "/a/x")->type, "xfs");
}

TEST(Mounts, NfsCountsBytesReadsAndTheirTime) {
  MountSeen mount{.path = "/mnt/nfs", .type = "nfs4"};
  read_nfs_counters(
      "device proc mounted on /proc with fstype proc\n"
      "device 10.0.0.1:/x mounted on /mnt/nfs with fstype nfs4 statvers=1.1\n"
      "\tage:\t99\n\tbytes:\t100 200 0 0 5000 600 2 3\n\tper-op statistics\n"
      "\t        NULL: 0 0 0 0 0 0 0 0\n\t        READ: 12 12 0 1 2 30 40 1500 0\n"
      "device 10.0.0.1:/y mounted on /mnt/other with fstype nfs4 statvers=1.1\n\tbytes:\t1 2 3 4 5 6 7 8\n",
      mount);
  EXPECT_EQ(mount.read_bytes, 5000U);
  EXPECT_EQ(mount.reads, 12U);
  EXPECT_EQ(mount.read_time_s, 1.5);
}

}  // namespace
}  // namespace stoker::watch
