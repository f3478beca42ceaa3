#include "watch/linux/process_tree.hpp"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch/linux/proc_fixture.hpp"

namespace stoker::watch {
namespace {

std::vector<std::int64_t> pids(const std::vector<ProcessId>& ids) {
  std::vector<std::int64_t> found;
  for (const ProcessId& id : ids) found.push_back(id.pid);
  std::sort(found.begin() + (found.empty() ? 0 : 1), found.end());
  return found;
}

using Pids = std::vector<std::int64_t>;

// 10 starts a server (11), which forks workers 12 and 13; 20 is somebody else's.
struct Tree : ProcFixture {
  Tree() {
    thread({.pid = 10, .parent = 1});
    thread({.pid = 11, .parent = 10, .name = "forkserver"});
    thread({.pid = 12, .parent = 11, .name = "pt_data_worker"});
    thread({.pid = 13, .parent = 11, .name = "odd ) name (x"});
    thread({.pid = 20, .parent = 1});
  }
};

TEST(ProcessTree, ScansParentsWhereChildrenAreNotListed) {
  const Tree proc;
  ProcessTree looked(proc.root(), 10);
  EXPECT_EQ(pids(looked.look()), (Pids{10, 11, 12, 13}));
  proc.thread({.pid = 14, .parent = 11});
  EXPECT_EQ(pids(looked.look()), (Pids{10, 11, 12, 13, 14}));
  proc.remove("proc/12");
  EXPECT_EQ(pids(looked.look()), (Pids{10, 11, 13, 14}));
}

TEST(ProcessTree, ReadsListsOfChildrenOfEveryThread) {
  const Tree proc;
  proc.thread({.pid = 10, .id = 15});
  proc.write("proc/10/task/10/children", "");
  proc.write("proc/10/task/15/children", "11 ");  // a thread forked it
  proc.write("proc/11/task/11/children", "12 13 99 ");
  EXPECT_EQ(pids(ProcessTree(proc.root(), 10).look()), (Pids{10, 11, 12, 13}));
}

TEST(ProcessTree, KeepsWhomAnotherAdopts) {
  const Tree proc;
  ProcessTree looked(proc.root(), 10);
  looked.look();
  proc.remove("proc/11");
  proc.thread({.pid = 12, .parent = 1, .name = "pt_data_worker"});
  EXPECT_EQ(pids(looked.look()), (Pids{10, 12, 13}));
}

TEST(ProcessTree, DropsANumberThatBeganAnew) {
  const Tree proc;
  ProcessTree looked(proc.root(), 10);
  looked.look();
  proc.remove("proc/12");
  proc.thread({.pid = 12, .parent = 20, .start_ticks = 9000});
  EXPECT_EQ(pids(looked.look()), (Pids{10, 11, 13}));
}

TEST(ProcessTree, LeavesOutZombies) {
  const Tree proc;
  proc.thread({.pid = 12, .parent = 11, .state = 'Z'});
  EXPECT_EQ(pids(ProcessTree(proc.root(), 10).look()), (Pids{10, 11, 13}));
}

TEST(ProcessTree, IsEmptyWithoutAnyProcess) {
  const ProcFixture proc;
  EXPECT_TRUE(ProcessTree(proc.root(), 10).look().empty());
  EXPECT_EQ(identify(proc.root(), 10).start_ticks, 0U);
}

TEST(ProcessTree, FindsARealGrandchild) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild > 0) {
      if (write(ready[1], &grandchild, sizeof grandchild) < 0) _exit(1);
      waitpid(grandchild, nullptr, 0);
      _exit(0);
    }
    pause();
    _exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(ready[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  ProcessTree looked("/proc", child);
  EXPECT_EQ(pids(looked.look()), (Pids{child, grandchild}));
  kill(grandchild, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(looked.look().empty());
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace stoker::watch
