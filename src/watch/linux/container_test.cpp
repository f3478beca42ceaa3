// The watcher within namespaces of its own, as in a container; where root may not make them, skipped.
#include <atomic>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stoker/watch.hpp"

#include "watch/linux/child_fixture.hpp"

namespace stoker {
namespace {

constexpr int kNotAllowed = 77, kTooBusy = 78;

WatchOptions options_of(std::int64_t pid) { return watch::live_options(pid, std::chrono::milliseconds(200)); }

// Exit status of `body`, run as the first process of new PID, mount and cgroup namespaces.
int in_container(int (*body)()) {
  const pid_t outer = fork();
  if (outer == 0) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWCGROUP) != 0) _exit(kNotAllowed);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(kNotAllowed);
    const pid_t first = fork();
    if (first == 0) {
      if (mount("proc", "/proc", "proc", 0, nullptr) != 0) _exit(kNotAllowed);
      _exit(body());
    }
    int status = 0;
    waitpid(first, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
  }
  int status = 0;
  waitpid(outer, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

// A process that computes, with a worker that waits.
void train(const std::function<void()>& ready) {
  if (fork() == 0) {
    prctl(PR_SET_NAME, "pt_data_worker");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ready();
    for (;;) pause();
  }
  for (std::atomic<int> i = 0;;) ++i;
}

int watch_inside() {
  const watch::Child training(train);
  Watcher watcher(options_of(training.pid()));
  const Snapshot snapshot = watcher.next();
  if (snapshot.processes.size() != 2) return 2;
  if (snapshot.processes[0].pid != training.pid() || training.pid() > 10) return 3;
  if (snapshot.processes[1].name != "pt_data_worker") return 4;
  if (snapshot.processes[0].threads.at(0).tallies.empty()) return 5;
  if (snapshot.processes[1].threads.at(0).tallies.at(0).call != "pause" &&
      snapshot.processes[1].threads[0].tallies[0].call != "ppoll") {
    return 6;
  }
  if (!snapshot.processes[0].io || !snapshot.host.cpu) return 7;
  const auto found = find_training(options_of(0));
  return found && found->pid == training.pid() ? 0 : 8;
}

// Beside this process, which is the first there, one that is busy with its child.
int find_the_busiest() {
  const watch::Child busy([](const auto& ready) {
    ready();
    if (fork() == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (std::atomic<int> i = 0;;) ++i;
  });
  // A loaded machine gives it half a CPU sooner or later.
  std::optional<TrainingProcess> found;
  for (int i = 0; i < 8 && !found; ++i) found = find_training(options_of(0));
  if (!found) return kTooBusy;
  if (found->pid != busy.pid()) return 3;
  return found->why.find("busiest") == std::string::npos ? 4 : 0;
}

TEST(Container, WatchesInItsOwnNamespaces) {
  const int status = in_container(watch_inside);
  if (status == kNotAllowed) GTEST_SKIP() << "no permission to make namespaces";
  EXPECT_EQ(status, 0);
}

TEST(Container, FindsTheBusiest) {
  const int status = in_container(find_the_busiest);
  if (status == kTooBusy) GTEST_SKIP() << "the machine has no half CPU to spare";
  if (status == kNotAllowed) GTEST_SKIP() << "no permission to make namespaces";
  EXPECT_EQ(status, 0);
}

// The host's view of a container: other numbers, and a name that only the namespace knows.
TEST(Container, IsWatchedFromOutside) {
  int numbers[2];
  ASSERT_EQ(pipe(numbers), 0);
  const pid_t outer = fork();
  if (outer == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(CLONE_NEWPID) != 0) _exit(kNotAllowed);
    const pid_t first = fork();
    if (first == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      prctl(PR_SET_NAME, "contained");
      for (;;) pause();
    }
    if (write(numbers[1], &first, sizeof first) < 0) _exit(1);
    for (;;) pause();
  }
  close(numbers[1]);
  pid_t first = 0;
  const bool made = read(numbers[0], &first, sizeof first) == static_cast<ssize_t>(sizeof first);
  close(numbers[0]);
  if (made) {
    Watcher watcher(options_of(first));
    const Snapshot snapshot = watcher.next();
    EXPECT_EQ(snapshot.processes.size(), 1U);
    EXPECT_EQ(snapshot.processes.at(0).pid, first);
    EXPECT_EQ(snapshot.processes[0].name, "contained");
    kill(first, SIGKILL);
  }
  kill(outer, SIGKILL);
  waitpid(outer, nullptr, 0);
  if (!made) GTEST_SKIP() << "no permission to make namespaces";
}

}  // namespace
}  // namespace stoker
