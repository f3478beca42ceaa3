#include <algorithm>
#include <atomic>
#include <chrono>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "stoker/error.hpp"
#include "stoker/watch.hpp"

#include "watch/linux/child_fixture.hpp"
#include "watch/linux/proc_fixture.hpp"

namespace stoker {
namespace {

using watch::Child;
using watch::ProcFixture;

WatchOptions live(std::int64_t pid) { return watch::live_options(pid, std::chrono::milliseconds(250)); }

const ProcessSeen* process_of(const Snapshot& snapshot, std::int64_t pid) {
  const auto found = std::find_if(snapshot.processes.begin(), snapshot.processes.end(),
                                  [&](const ProcessSeen& x) { return x.pid == pid; });
  return found == snapshot.processes.end() ? nullptr : &*found;
}

bool is_not_seen(const Snapshot& snapshot, const std::string& what) {
  return std::any_of(snapshot.not_seen.begin(), snapshot.not_seen.end(),
                     [&](const NotSeen& x) { return x.what == what; });
}

// The tally of the main thread that was met most.
ThreadTally mostly(const ProcessSeen& process) {
  const std::vector<ThreadTally>& tallies = process.threads.at(0).tallies;
  if (tallies.empty()) return {};
  return *std::max_element(tallies.begin(), tallies.end(),
                           [](const ThreadTally& a, const ThreadTally& b) { return a.count < b.count; });
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

TEST(Watcher, NoSuchProcessIsNotFound) {
  Child child([](const auto& ready) {
    ready();
    pause();
  });
  const pid_t pid = child.pid();
  child.end();
  try {
    Watcher watcher(live(pid));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find(std::to_string(pid)), std::string::npos);
  }
}

TEST(Watcher, WithoutAProcessShowsTheMachine) {
  WatchOptions options = live(0);
  options.interval = std::chrono::milliseconds(20);
  Watcher watcher(options);
  const Snapshot first = watcher.first();
  const Snapshot next = watcher.next();
  EXPECT_TRUE(first.processes.empty());
  EXPECT_TRUE(first.cgroups.empty());
  EXPECT_GT(next.time_s, first.time_s);
  EXPECT_GT(first.wall_s, 1.6e9);
  ASSERT_TRUE(next.host.cpu);
  EXPECT_GE(next.host.cpu->busy_s(), first.host.cpu->busy_s());
  EXPECT_EQ(next.host.online_cpus, static_cast<int>(next.host.per_cpu.size()));
  EXPECT_TRUE(is_not_seen(first, "GPUs"));
  EXPECT_FALSE(watcher.watched_process_lives());
}

TEST(Watcher, SeesCountersAtOnce) {
  Child child([](const auto& ready) {
    prctl(PR_SET_NAME, "odd (name)");
    setenv("IGNORED", "", 1);
    ready();
    pause();
  });
  const Snapshot first = Watcher(live(child.pid())).first();
  ASSERT_EQ(first.processes.size(), 1U);
  const ProcessSeen& process = first.processes[0];
  EXPECT_EQ(process.pid, child.pid());
  EXPECT_EQ(process.parent, getpid());
  EXPECT_EQ(process.name, "odd (name)");
  EXPECT_FALSE(process.command.empty());
  EXPECT_LE(process.command.size(), 256U);
  EXPECT_TRUE(process.user_s);
  EXPECT_TRUE(process.io);
  EXPECT_GT(process.resident_bytes.value_or(0), 0U);
  EXPECT_GE(process.affinity_cpus.value_or(0), 1);
  ASSERT_EQ(process.threads.size(), 1U);
  EXPECT_TRUE(process.threads[0].tallies.empty());
}

TEST(Watcher, TellsWhatAProcessWaitsFor) {
  Child polling([](const auto& ready) {
    int ends[2];
    if (pipe(ends) != 0) return;
    ready();
    pollfd polled{ends[0], POLLIN, 0};
    for (;;) poll(&polled, 1, 5000);
  });
  Child receiving([](const auto& ready) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return;
    ready();
    char byte;
    while (recv(sockets[0], &byte, 1, 0) >= 0) {
    }
  });
  Child stopped([](const auto& ready) {
    ready();
    for (;;) pause();
  });
  kill(stopped.pid(), SIGSTOP);
  const auto look = [](const Child& child) {
    Watcher watcher(live(child.pid()));
    return mostly(watcher.next().processes.at(0));
  };
  const ThreadTally poll_tally = look(polling);
  EXPECT_EQ(poll_tally.state, 'S');
  EXPECT_TRUE(poll_tally.call == "poll" || poll_tally.call == "ppoll") << poll_tally.call;
  EXPECT_EQ(poll_tally.timeout_ms, 5000);
  EXPECT_EQ(poll_tally.target, "pipe");
  const ThreadTally receive_tally = look(receiving);
  EXPECT_EQ(receive_tally.call, "recvfrom");
  EXPECT_EQ(receive_tally.target, "unix_socket");
  EXPECT_EQ(look(stopped).state, 'T');
}

// Source: man 5 proc, /proc/PID/mountinfo: the fifth field is the mount point.
bool root_is_a_mount() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, point;
    if (words >> id >> parent >> device >> root >> point && point == "/") return true;
  }
  return false;
}

TEST(Watcher, SeesABusyThreadAndWhatItReads) {
  const test::TempDir dir;
  const std::string path = dir.write("photo.jpg", std::string(5000, 'x'));
  Child busy([&](const auto& ready) {
    const int file = open(path.c_str(), O_RDONLY);
    if (file < 0) return;
    std::thread([] {
      prctl(PR_SET_NAME, "idle helper");
      for (;;) pause();
    }).detach();
    ready();
    for (std::atomic<int> i = 0;;) ++i;
  });
  Watcher watcher(live(busy.pid()));
  const Snapshot first = watcher.first();
  const Snapshot next = watcher.next();
  const ProcessSeen& process = next.processes.at(0);
  EXPECT_EQ(mostly(process).state, 'R');
  EXPECT_EQ(mostly(process).call, "");
  EXPECT_GT(*process.threads[0].cpu_s, *first.processes[0].threads[0].cpu_s);
  const auto file = std::find_if(process.files.begin(), process.files.end(),
                                 [&](const FileSeen& x) { return x.path == path; });
  ASSERT_NE(file, process.files.end());
  EXPECT_EQ(file->size_bytes, 5000U);
  // In a chroot the root is no mount that one could see: then none is named.
  if (root_is_a_mount()) {
    EXPECT_NE(file->mount, "");
  }
  if (!file->mount.empty()) {
    EXPECT_TRUE(std::any_of(next.mounts.begin(), next.mounts.end(),
                            [&](const MountSeen& x) { return x.path == file->mount; }));
  }
  EXPECT_TRUE(std::any_of(process.threads.begin(), process.threads.end(), [](const ThreadsSeen& x) {
    return x.name == "idle helper" && x.count == 1 && !x.main;
  }));
}

TEST(Watcher, NewWorkersAppearAndEndedOnesVanish) {
  int orders[2];
  ASSERT_EQ(pipe(orders), 0);
  Child parent([&](const auto& ready) {
    ready();
    pid_t worker = 0;
    for (char order = 0; read(orders[0], &order, 1) == 1;) {
      if (order == '+') {
        worker = fork();
        if (worker == 0) {
          prctl(PR_SET_NAME, "pt_data_worker");
          for (;;) pause();
        }
      } else {
        kill(worker, SIGKILL);
        waitpid(worker, nullptr, 0);
      }
    }
  });
  WatchOptions options = live(parent.pid());
  options.interval = std::chrono::milliseconds(50);
  Watcher watcher(options);
  EXPECT_EQ(watcher.first().processes.size(), 1U);
  ASSERT_EQ(write(orders[1], "+", 1), 1);
  Snapshot snapshot;
  for (int i = 0; i < 100 && snapshot.processes.size() != 2; ++i) snapshot = watcher.next();
  ASSERT_EQ(snapshot.processes.size(), 2U);
  EXPECT_EQ(snapshot.processes[0].pid, parent.pid());
  EXPECT_EQ(snapshot.processes[1].parent, parent.pid());
  ASSERT_EQ(write(orders[1], "-", 1), 1);
  for (int i = 0; i < 100 && snapshot.processes.size() != 1; ++i) snapshot = watcher.next();
  EXPECT_EQ(snapshot.processes.size(), 1U);
  EXPECT_TRUE(watcher.watched_process_lives());
  parent.end();
  EXPECT_FALSE(watcher.watched_process_lives());
  for (int i = 0; i < 100 && !snapshot.processes.empty(); ++i) snapshot = watcher.next();
  EXPECT_TRUE(snapshot.processes.empty());
  close(orders[0]);
  close(orders[1]);
}

TEST(Watcher, LeavesNoDescriptorsBehind) {
  const std::size_t before = open_descriptors();
  {
    Child parent([](const auto& ready) {
      ready();
      for (;;) {  // processes and threads that come and go
        const pid_t worker = fork();
        if (worker == 0) {
          std::thread([] { usleep(3000); }).join();
          usleep(10'000);
          _exit(0);
        }
        waitpid(worker, nullptr, 0);
      }
    });
    WatchOptions options = live(parent.pid());
    options.interval = std::chrono::milliseconds(20);
    options.main_thread_every = options.workers_every = std::chrono::milliseconds(2);
    Watcher watcher(options);
    for (int i = 0; i < 5; ++i) watcher.next();
    const std::size_t soon = open_descriptors();
    for (int i = 0; i < 30; ++i) watcher.next();
    EXPECT_LE(open_descriptors(), soon + 20);  // two processes of two threads, four files and a folder each
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Watcher, AThreadsNumberStandsForItsProcess) {
  int ids[2];
  ASSERT_EQ(pipe(ids), 0);
  Child child([&](const auto& ready) {
    std::thread([&] {
      const auto id = static_cast<pid_t>(syscall(SYS_gettid));
      if (write(ids[1], &id, sizeof id) == sizeof id) pause();
    }).detach();
    ready();
    for (;;) pause();
  });
  pid_t id = 0;
  ASSERT_EQ(read(ids[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  EXPECT_EQ(Watcher(live(id)).first().processes.at(0).pid, child.pid());
  close(ids[0]);
  close(ids[1]);
}

// What root would add is named, and the rest is seen.
TEST(Watcher, AnotherUsersProcessIsSeenInPart) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Child child([](const auto& ready) {
    ready();
    for (;;) pause();
  });
  const pid_t stranger = fork();
  if (stranger == 0) {
    constexpr uid_t kNobody = 65534;
    if (setresuid(kNobody, kNobody, kNobody) != 0) _exit(77);
    Watcher watcher(live(child.pid()));
    const Snapshot next = watcher.next();
    if (next.processes.size() != 1) _exit(2);
    const ProcessSeen& process = next.processes[0];
    if (process.io || process.cuda_visible_devices || !process.user_s) _exit(3);
    if (process.io.why().find("root") == std::string::npos) _exit(4);
    if (!is_not_seen(next, "I/O of the processes") || !is_not_seen(next, "system calls of the threads"))
      _exit(5);
    const ThreadTally tally = mostly(process);
    _exit(tally.state == 'S' && tally.call.empty() ? 0 : 6);
  }
  int status = 0;
  waitpid(stranger, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// ---- Fixture trees: what this machine may not have -----------------------------------------------------

TEST(WatcherOnFixtures, DelayAccountingOffLeavesIoDelaysUnknown) {
  const ProcFixture proc;
  proc.thread({.pid = 10});
  proc.write("proc/sys/kernel/task_delayacct", "0\n");
  const Snapshot off = Watcher(proc.options(10)).first();
  EXPECT_FALSE(off.processes.at(0).block_io_delay_s);
  EXPECT_NE(off.processes[0].block_io_delay_s.why().find("kernel.task_delayacct=1"), std::string::npos);
  proc.write("proc/sys/kernel/task_delayacct", "1\n");
  EXPECT_FALSE(Watcher(proc.options(10)).first().processes.at(0).block_io_delay_s);
  const auto ticks = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  proc.thread({.pid = 10, .block_io_ticks = 4 * ticks});
  EXPECT_EQ(Watcher(proc.options(10)).first().processes.at(0).block_io_delay_s, 4.0);
}

TEST(WatcherOnFixtures, ABareTreeIsUnknownAllOver) {
  const ProcFixture proc;
  proc.thread({.pid = 10});
  const Snapshot first = Watcher(proc.options(10)).first();
  const ProcessSeen& process = first.processes.at(0);
  EXPECT_FALSE(process.io);
  EXPECT_FALSE(process.affinity_cpus);
  EXPECT_FALSE(process.cuda_visible_devices);
  EXPECT_FALSE(first.host.cpu_pressure);
  EXPECT_TRUE(is_not_seen(first, "I/O of the processes"));
  EXPECT_TRUE(is_not_seen(first, "environment of the processes"));
  EXPECT_TRUE(first.mounts.empty());
}

TEST(WatcherOnFixtures, ReadsTheFactsOfAProcess) {
  using namespace std::string_literals;
  const ProcFixture proc;
  proc.thread({.pid = 10, .parent = 3});
  proc.write("proc/10/status", "Tgid:\t10\nUid:\t4000000001\t0\t0\t0\nCpus_allowed_list:\t0-3,8\n");
  proc.write("proc/10/cmdline", "python\0train.py\0"s + std::string(400, 'x'));
  proc.write("proc/10/environ", "PATH=/bin\0CUDA_VISIBLE_DEVICES=0,2\0CUDA_VISIBLE_DEVICES_X=9\0"s);
  proc.write("proc/10/io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n");
  const ProcessSeen process = Watcher(proc.options(10)).first().processes.at(0);
  EXPECT_TRUE(process.command.starts_with("python train.py xxx"));
  EXPECT_EQ(process.command.size(), 256U);
  EXPECT_EQ(process.user, "4000000001");
  EXPECT_EQ(process.affinity_cpus, 5);
  EXPECT_EQ(process.cuda_visible_devices.value_or(""), "0,2");
  EXPECT_EQ(process.io->read_bytes, 5U);
  EXPECT_EQ(process.resident_bytes, 25U * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

TEST(WatcherOnFixtures, AFuseReadInStateDNamesFileAndMount) {
  const ProcFixture proc;
  proc.thread({.pid = 10});
  proc.blocked({.pid = 11, .parent = 10, .name = "pt_data_worker", .state = 'D'},
               fmt::format("{} 0x5 0x1 0x2 0x0 0x0 0x0 0x1 0x2\n", SYS_pread64), "folio_wait_bit_common");
  proc.link("proc/11/fd/5", "/mnt/set/n01/7.jpg");
  proc.write("proc/10/mountinfo", "9 1 0:44 / /mnt/set rw - fuse.s3fs bucket rw\n");
  const Snapshot next = Watcher(proc.options(10)).next();
  const ProcessSeen* worker = process_of(next, 11);
  ASSERT_NE(worker, nullptr);
  const ThreadTally tally = mostly(*worker);
  EXPECT_EQ(tally.state, 'D');
  EXPECT_EQ(tally.call, "pread64");
  EXPECT_EQ(tally.target, "file");
  EXPECT_EQ(tally.wait, "folio_wait_bit_common");
  ASSERT_EQ(worker->files.size(), 1U);
  EXPECT_EQ(worker->files[0].path, "/mnt/set/n01/7.jpg");
  EXPECT_EQ(worker->files[0].mount, "/mnt/set");
  EXPECT_EQ(worker->files[0].count, tally.count);
  ASSERT_EQ(next.mounts.size(), 1U);
  EXPECT_TRUE(next.mounts[0].network);
}

TEST(WatcherOnFixtures, CountersOfNfsComeWithItsMount) {
  const ProcFixture proc;
  proc.blocked({.pid = 10, .state = 'D'}, fmt::format("{} 0x5 0x1 0x2 0x0 0x0 0x0 0x1 0x2\n", SYS_read), "x");
  proc.link("proc/10/fd/5", "/nfs/7.jpg");
  proc.write("proc/10/mountinfo", "9 1 0:44 / /nfs rw - nfs4 host:/x rw\n");
  Watcher blind(proc.options(10));
  EXPECT_TRUE(is_not_seen(blind.next(), "counters of NFS"));
  proc.write("proc/10/mountstats",
             "device host:/x mounted on /nfs with fstype nfs4 statvers=1.1\n\tbytes:\t1 0 0 0 77 0 0 0\n");
  EXPECT_EQ(blind.next().mounts.at(0).read_bytes, 77U);
}

TEST(WatcherOnFixtures, AReusedNumberIsAnotherProcess) {
  const ProcFixture proc;
  proc.thread({.pid = 10, .start_ticks = 500});
  Watcher watcher(proc.options(10));
  EXPECT_TRUE(watcher.watched_process_lives());
  proc.thread({.pid = 10, .start_ticks = 900});
  EXPECT_FALSE(watcher.watched_process_lives());
  EXPECT_TRUE(watcher.next().processes.empty());
}

}  // namespace
}  // namespace stoker
