#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/trace_fixture.hpp"

namespace stoker::doctor {

namespace {

using test::Made;
using test::made_trace;
using ::testing::Contains;
using ::testing::HasSubstr;

// Two workers that wait for storage three quarters of their time, at 10 MB/s each.
Made waiting() {
  return {.busy = 0.3,
          .main_waits = 0.68,
          .worker_cpu = 0.2,
          .worker_delay = 0.02,
          .read_chars = 10e6,
          .read_bytes = 10e6,
          .read_calls = 100};
}

void add_device(Snapshot& s, double t, double reads, double bytes, double latency_s, double busy,
                bool rotational = false) {
  DeviceSeen device;
  device.number = "254:0";
  device.name = "vda";
  device.reads = static_cast<std::uint64_t>(reads * t);
  device.read_bytes = static_cast<std::uint64_t>(bytes * t);
  device.read_time_s = latency_s * reads * t;
  device.busy_s = busy * t;
  device.rotational = rotational;
  s.devices.push_back(device);
}

void add_limit(Snapshot& s, std::optional<double> bytes, std::optional<double> ops, int version = 2) {
  CgroupLevel& level = s.cgroups.emplace_back();
  level.path = "/sys/fs/cgroup/job";
  level.version = version;
  level.io_limits.push_back({.device = "254:0", .read_bytes_per_s = bytes, .read_ops_per_s = ops});
}

TEST(Io, AtACgroupsLimitItIsBandwidth) {
  const Report report = diagnose(made_trace(waiting(), [](Snapshot& s, double t) {
    add_device(s, t, 200, 20e6, 0.02, 0.9);
    add_limit(s, 21e6, std::nullopt, 1);
  }));
  EXPECT_EQ(report.verdict, Verdict::io_bandwidth) << report.summary;
  EXPECT_THAT(report.io.limited_by, HasSubstr("/sys/fs/cgroup/job"));
  EXPECT_EQ(report.io.limit_bytes_per_s.value_or(0), 21e6);
  const Fix& fix = report.fixes.front();
  EXPECT_THAT(fix.how.front().text, HasSubstr("blkio.throttle.read_bps_device"));
  EXPECT_EQ(fix.label, GainLabel::up_to);  // the device's own limit is not known
  // L = 1/.3; the workers alone could do 2/.4.
  EXPECT_NEAR(*fix.predicted_gain, std::pow(std::pow(0.3, 8) + std::pow(0.21, 8), -1.0 / 8) - 1, 0.1);
}

TEST(Io, AtALimitOfOperations) {
  const Report report = diagnose(made_trace(waiting(), [](Snapshot& s, double t) {
    add_device(s, t, 195, 20e6, 0.02, 0.9);
    add_limit(s, std::nullopt, 200.0);
  }));
  EXPECT_EQ(report.verdict, Verdict::io_bandwidth) << report.summary;
  EXPECT_THAT(report.fixes.front().how.front().text, HasSubstr("riops=max"));
}

TEST(Io, FarBelowTheLimitItIsLatency) {
  const Report report = diagnose(made_trace(waiting(), [](Snapshot& s, double t) {
    add_device(s, t, 200, 20e6, 0.008, 0.9);
    add_limit(s, 500e6, std::nullopt);
  }));
  EXPECT_EQ(report.verdict, Verdict::io_latency) << report.summary;
  EXPECT_THAT(report.fixes.front().what, HasSubstr("more workers"));
  EXPECT_EQ(report.fixes.front().label, GainLabel::estimate);
  EXPECT_GT(*report.fixes.front().predicted_gain, 1);
}

TEST(Io, AnotherDevicesLimitIsNotThisOnes) {
  const Report report = diagnose(made_trace(waiting(), [](Snapshot& s, double t) {
    add_device(s, t, 200, 20e6, 0.002, 0.4);
    add_limit(s, 21e6, std::nullopt);
    s.cgroups.back().io_limits.back().device = "8:0";
  }));
  EXPECT_EQ(report.verdict, Verdict::io_latency) << report.summary;
}

TEST(Io, ADisksLimitHoldsForItsPartitions) {
  const Report report = diagnose(made_trace(waiting(), [](Snapshot& s, double t) {
    add_device(s, t, 200, 20e6, 0.02, 0.9);
    s.devices[0].number = "254:1";
    s.devices[0].name = "vda1";
    DeviceSeen disk;
    disk.number = "254:0";
    disk.name = "vda";
    s.devices.push_back(disk);
    add_limit(s, 21e6, std::nullopt);
  }));
  EXPECT_EQ(report.verdict, Verdict::io_bandwidth) << report.summary;
}

TEST(Io, ADiskThatSeeksAllTheTimeIsFull) {
  const Report report = diagnose(
      made_trace(waiting(), [](Snapshot& s, double t) { add_device(s, t, 150, 20e6, 0.013, 0.99, true); }));
  EXPECT_EQ(report.verdict, Verdict::io_bandwidth) << report.summary;
}

TEST(Io, ANetworkFileSystemIsIoWaitUntilProbed) {
  Made made = waiting();
  made.read_bytes = 0;
  Trace trace = made_trace(made, [](Snapshot& s, double) {
    s.processes[1].files.push_back(
        {.path = "/data/a.jpg", .mount = "/data", .size_bytes = 100000, .count = 9});
    MountSeen mount;
    mount.path = "/data";
    mount.type = "nfs4";
    mount.network = true;
    s.mounts.push_back(mount);
  });
  const Report unprobed = diagnose(trace);
  EXPECT_EQ(unprobed.verdict, Verdict::io_wait) << unprobed.summary;
  EXPECT_THAT(unprobed.summary, HasSubstr("(/data)"));
  EXPECT_FALSE(unprobed.io.cache_hit_share.known());
  EXPECT_EQ(unprobed.fixes.front().label, GainLabel::up_to);

  trace.probe.emplace();
  // 4 readers take from the training's workers, which a full store gives the rest: 1.5 times as much,
  // measured.
  trace.probe->storage = {{.readers = 1, .bytes_per_s = 20e6, .reads_per_s = 200},
                          {.readers = 4, .bytes_per_s = 30e6, .reads_per_s = 300}};
  EXPECT_EQ(diagnose(trace).verdict, Verdict::io_bandwidth);
  trace.probe->storage[1].bytes_per_s = 70e6;
  EXPECT_EQ(diagnose(trace).verdict, Verdict::io_latency);
}

TEST(Io, FuseIsToldByItsCountersAlone) {
  Made made = waiting();
  made.read_bytes = 0;  // large rchar, nothing from a block device, no mount seen
  EXPECT_EQ(diagnose(made_trace(made)).verdict, Verdict::io_wait);
}

TEST(Io, TimeThatNobodyWasMetWaitingInIsNoIo) {
  Trace trace = made_trace({.busy = 0.5, .main_waits = 0.45, .workers = 1, .worker_cpu = 0.4});
  for (Snapshot& s : trace.snapshots)
    s.processes[1].threads[0].tallies = {test::tally('R', "", 0.4), test::tally('S', "futex", 0.6)};
  EXPECT_EQ(diagnose(trace).verdict, Verdict::data_bound);
}

TEST(Io, APageCacheThatIsTooSmallIsSaid) {
  const Report report = diagnose(made_trace(waiting(), [](Snapshot& s, double t) {
    add_device(s, t, 200, 20e6, 0.001, 0.3);
    CgroupLevel& level = s.cgroups.emplace_back();
    level.path = "/sys/fs/cgroup/job";
    level.refaults = static_cast<std::uint64_t>(5000 * t);
  }));
  EXPECT_THAT(report.causes, Contains(HasSubstr("page cache is too small")));
}

TEST(Io, CacheHitsAndImagesFromTheSizesOfFiles) {
  Made made{.busy = 0.5,
            .main_waits = 0.45,
            .workers = 1,
            .worker_cpu = 0.95,
            .read_chars = 30e6,
            .read_bytes = 3e6};
  const Report report = diagnose(made_trace(made, [](Snapshot& s, double) {
    for (const int n : {1, 2, 3})
      s.processes[1].files.push_back({.path = "/d/" + std::to_string(n),
                                      .mount = "/",
                                      .size_bytes = 100000U * static_cast<unsigned>(n),
                                      .count = static_cast<std::uint64_t>(n)});  // as long as it is read
  }));
  EXPECT_NEAR(*report.io.cache_hit_share, 0.9, 0.01);
  EXPECT_NEAR(*report.images_per_s, 150, 2);
  EXPECT_TRUE(report.images_per_s_about);
}

// Half of the files have 20 KB, half 180 KB: the large ones are met nine times as often.
TEST(Io, LargeFilesAreMetMoreOftenThanTheyAreRead) {
  Made made{.busy = 0.5, .main_waits = 0.45, .workers = 1, .worker_cpu = 0.95, .read_chars = 30e6};
  const auto rate = [&made](bool others) {
    int number = 0;
    return *diagnose(made_trace(made, [&](Snapshot& s, double) {
              std::vector<FileSeen>& files = s.processes[1].files;
              for (int i = 0; i < 10; ++i)
                files.push_back({.path = "/d/" + std::to_string(number++) + ".jpg",
                                 .mount = "/",
                                 .size_bytes = i == 0 ? 20'000U : 180'000U,
                                 .count = 1});
              if (!others) return;
              files.push_back({.path = "/d/list.txt", .mount = "/", .size_bytes = 300, .count = 1});
              files.push_back({.path = "/d/thumb.jpg", .mount = "/", .size_bytes = 500, .count = 1});
              files.push_back({.path = "/d/all.jpg", .mount = "/", .size_bytes = 15'000, .count = 1});
            })).images_per_s;
  };
  EXPECT_NEAR(rate(false), 300, 5);  // 30 MB/s of 100 KB
  EXPECT_NEAR(rate(true), 300, 5);   // a list, a mark, a file that is always open
}

TEST(Io, ALargeFileHoldsManyImages) {
  Made made{.busy = 0.5, .main_waits = 0.45, .workers = 1, .worker_cpu = 0.95, .read_chars = 30e6};
  const Report report = diagnose(made_trace(made, [](Snapshot& s, double) {
    for (const int n : {1, 2, 3})
      s.processes[1].files.push_back(
          {.path = "/d/" + std::to_string(n) + ".tar", .mount = "/", .size_bytes = 1U << 30U, .count = 1});
  }));
  EXPECT_FALSE(report.images_per_s.known());
  EXPECT_TRUE(report.fixes.front().predicted_gain.known());  // a share needs no rate
  EXPECT_FALSE(report.fixes.front().predicted_images_per_s.known());
}

}  // namespace

}  // namespace stoker::doctor
