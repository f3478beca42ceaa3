#include "watch/linux/thread_sight.hpp"

#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "watch/linux/proc_fixture.hpp"
#include "watch/linux/system_calls.hpp"

namespace stoker::watch {
namespace {

TEST(SystemCalls, AreNamedByTheNumbersOfThisMachine) {
  EXPECT_EQ(system_call(SYS_futex)->name, "futex");
  EXPECT_EQ(system_call(SYS_pread64)->descriptor, 0);
  EXPECT_EQ(system_call(SYS_openat)->path, 1);
  EXPECT_EQ(system_call(SYS_ppoll)->polled, 0);
  EXPECT_EQ(system_call(999'999), nullptr);
}

// This process looks at itself: every argument means something here.
class DescribeCall : public testing::Test {
 protected:
  ThreadSight describe(long number, std::initializer_list<std::uint64_t> arguments) {
    BlockedCall call{.number = number};
    std::copy(arguments.begin(), arguments.end(), std::begin(call.arguments));
    ThreadSight sight;
    describe_call(call, folder_.get(), ProcessMemory(getpid(), true), sight);
    return sight;
  }
  static std::uint64_t at(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
  Descriptor folder_{open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(DescribeCall, ReadsAreOnKindsOfDescriptors) {
  int pipe_ends[2], sockets[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  const Descriptor pipe_read(pipe_ends[0]), pipe_write(pipe_ends[1]), one(sockets[0]), other(sockets[1]);
  const Descriptor internet(socket(AF_INET, SOCK_STREAM, 0)), event(eventfd(0, 0)),
      null(open("/dev/null", O_RDONLY));
  const auto number = [](const Descriptor& x) { return static_cast<std::uint64_t>(x.get()); };
  EXPECT_EQ(describe(SYS_read, {number(pipe_read)}).target.kind, "pipe");
  EXPECT_EQ(describe(SYS_recvmsg, {number(one)}).target.kind, "unix_socket");
  EXPECT_EQ(describe(SYS_recvfrom, {number(internet)}).target.kind, "socket");
  EXPECT_EQ(describe(SYS_read, {number(event)}).target.kind, "eventfd");
  EXPECT_EQ(describe(SYS_ioctl, {number(null)}).target.kind, "device");
  EXPECT_EQ(describe(SYS_read, {12345}).target.kind, "");
  EXPECT_EQ(describe(SYS_read, {number(pipe_read)}).call, "read");
}

TEST_F(DescribeCall, AFileIsNamedWithItsSize) {
  const test::TempDir dir;
  const std::string path = dir.write("a photo.jpg", "0123456789");
  const Descriptor file(open(path.c_str(), O_RDONLY));
  const ThreadSight sight = describe(SYS_pread64, {static_cast<std::uint64_t>(file.get())});
  EXPECT_EQ(sight.target.kind, "file");
  EXPECT_EQ(sight.target.path, path);
  EXPECT_EQ(sight.target.size_bytes, 10U);
}

TEST_F(DescribeCall, PollTellsItsTimeoutAndItsFirstDescriptor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor read_end(ends[0]), write_end(ends[1]);
  const pollfd polled{read_end.get(), POLLIN, 0};
  const timespec five{5, 250'000'000};
  const ThreadSight sight = describe(SYS_ppoll, {at(&polled), 1, at(&five)});
  EXPECT_EQ(sight.timeout_ms, 5250);
  EXPECT_EQ(sight.target.kind, "pipe");
  EXPECT_EQ(describe(SYS_ppoll, {at(&polled), 1, 0}).timeout_ms, -1);
  EXPECT_EQ(describe(SYS_epoll_pwait, {0, 0, 0, 0xffffffff}).timeout_ms, -1);
#ifdef SYS_poll
  EXPECT_EQ(describe(SYS_poll, {at(&polled), 1, 5000}).timeout_ms, 5000);
  EXPECT_EQ(describe(SYS_poll, {at(&polled), 1, 0xffffffff}).timeout_ms, -1);
#endif
  EXPECT_EQ(describe(SYS_ppoll, {8, 1, 8}).timeout_ms, std::nullopt);  // no such memory
}

TEST_F(DescribeCall, AnOpenNamesThePathItWaitsFor) {
  const char* whole = "/data/set/7.jpg";
  const char* relative = "./x/7.jpg";
  EXPECT_EQ(describe(SYS_openat, {0, at(whole)}).target.path, whole);
  const auto here = static_cast<std::uint32_t>(AT_FDCWD);
  const std::string cwd = std::filesystem::current_path().string();
  EXPECT_EQ(describe(SYS_openat, {here, at(relative)}).target.path, cwd + "/x/7.jpg");
  const test::TempDir dir;
  const Descriptor folder(open(dir.path().c_str(), O_PATH | O_DIRECTORY));
  EXPECT_EQ(describe(SYS_openat, {static_cast<std::uint64_t>(folder.get()), at(relative)}).target.path,
            dir.path() + "/x/7.jpg");
  EXPECT_EQ(describe(SYS_openat, {0, 8}).target.path, "");
}

TEST_F(DescribeCall, WhatIsNoCallHasAWord) {
  EXPECT_EQ(describe(-1, {}).call, "page_fault");
  EXPECT_EQ(describe(999'999, {}).call, "other");
  ThreadSight sight;
  describe_call({.running = true}, folder_.get(), ProcessMemory(getpid(), true), sight);
  EXPECT_EQ(sight.call, "running");
}

TEST(ProcessMemory, OfAFixtureTreeIsNeverRead) {
  const std::uint64_t value = 7;
  const auto address = reinterpret_cast<std::uint64_t>(&value);
  EXPECT_EQ(ProcessMemory(getpid(), true).read<std::uint64_t>(address), 7U);
  EXPECT_FALSE(ProcessMemory(getpid(), false).read<std::uint64_t>(address));
}

TEST(ProcessMemory, TextsAreCut) {
  const std::string text(3000, 'x');
  const auto read = ProcessMemory(getpid(), true).read_text(reinterpret_cast<std::uint64_t>(text.data()));
  ASSERT_TRUE(read);
  EXPECT_GE(read->size(), 512U);
  EXPECT_LE(read->size(), 576U);
}

TEST(CountSight, LikeSightsAreOne) {
  std::vector<ThreadTally> tallies;
  ThreadSight waiting{.state = 'S', .call = "poll", .timeout_ms = 5000, .wait = "poll_schedule_timeout"};
  for (int i = 0; i < 3; ++i) count_sight(waiting, tallies);
  waiting.timeout_ms = 20;
  count_sight(waiting, tallies);
  count_sight({.state = 'R'}, tallies);
  ASSERT_EQ(tallies.size(), 3U);
  EXPECT_EQ(tallies[0].count, 3U);
  EXPECT_EQ(tallies[2].state, 'R');
}

TEST(CountFile, KeepsFewAndWhatMayHoldData) {
  std::vector<FileSeen> files;
  for (const char* path :
       {"/data/a", "/data/a", "/dev/shm/torch_1", "/proc/1/stat", "/x (deleted)", "/dev/shm/set/b"}) {
    count_file({"file", path, 9}, 2, files);
  }
  count_file({"file", "/data/c", 9}, 2, files);
  count_file({"pipe", "/data/d", 9}, 9, files);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].count, 2U);
  EXPECT_EQ(files[1].path, "/dev/shm/set/b");
}

}  // namespace
}  // namespace stoker::watch
