#include "watch/linux/thread_groups.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "watch/linux/proc_fixture.hpp"

namespace stoker::watch {
namespace {

class ThreadGroupsTest : public testing::Test {
 protected:
  ThreadGroupsTest() { proc_.blocked({.pid = 10}, "running\n", "0"); }
  ThreadGroups& groups() {
    if (!groups_) {
      folder_ = Descriptor(open(proc_.root("proc/10").c_str(), O_PATH | O_DIRECTORY));
      groups_ = std::make_unique<ThreadGroups>(folder_.get(), 10, false, budget_);
    }
    return *groups_;
  }
  std::vector<ThreadsSeen> look_and_take() {
    groups().look_for_threads();
    return groups().take();
  }
  static const ThreadsSeen& named(const std::vector<ThreadsSeen>& seen, const std::string& name) {
    const auto found = std::find_if(seen.begin(), seen.end(),
                                    [&](const ThreadsSeen& x) { return x.name == name && !x.main; });
    if (found == seen.end()) throw std::runtime_error("no threads named " + name);
    return *found;
  }

  ProcFixture proc_;
  DescriptorBudget budget_{100};
  Descriptor folder_;
  std::unique_ptr<ThreadGroups> groups_;
  std::minstd_rand random_;
};

TEST_F(ThreadGroupsTest, TheMainThreadStandsAloneAndFirst) {
  proc_.blocked({.pid = 10, .id = 11, .name = "python"}, "running\n", "0");
  proc_.blocked({.pid = 10, .id = 12, .name = "python"}, "running\n", "0");
  proc_.blocked({.pid = 10, .id = 13, .name = "cuda-EvtHandlr"}, "running\n", "0");
  const auto seen = look_and_take();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen[0].main);
  EXPECT_EQ(seen[0].name, "python");
  EXPECT_EQ(seen[0].count, 1);
  EXPECT_EQ(named(seen, "python").count, 2);
  EXPECT_DOUBLE_EQ(*named(seen, "python").cpu_s, 2);
  EXPECT_DOUBLE_EQ(*named(seen, "python").run_delay_s, 1);
}

TEST_F(ThreadGroupsTest, CallsAreReadOfBlockedThreadsOnly) {
  const std::string poll = fmt::format("{} 0x8 0x1 0x1388 0x0 0x0 0x0 0x1 0x2\n", SYS_epoll_pwait);
  proc_.blocked({.pid = 10, .id = 11, .name = "waits", .state = 'S'}, poll, "do_epoll_wait.constprop.0");
  proc_.blocked({.pid = 10, .id = 12, .name = "runs", .state = 'R'}, poll, "do_epoll_wait");
  proc_.blocked({.pid = 10, .id = 13, .name = "stopped", .state = 'T'}, poll, "do_signal_stop");
  proc_.blocked({.pid = 10, .id = 14, .name = "faults", .state = 'D'}, "-1 0x1 0x2\n",
                "folio_wait_bit_common");
  groups().look_for_threads();
  groups().sample_main();
  for (int i = 0; i < 2; ++i) groups().sample_others(99, random_);
  const auto seen = groups().take();
  EXPECT_EQ(seen[0].tallies, (std::vector<ThreadTally>{{.state = 'S', .call = "running", .count = 1}}));
  const ThreadTally& waits = named(seen, "waits").tallies.at(0);
  EXPECT_EQ(waits.call, "epoll_pwait");
  EXPECT_EQ(waits.wait, "do_epoll_wait");
  EXPECT_EQ(waits.timeout_ms, 0);
  EXPECT_EQ(waits.count, 2U);
  EXPECT_EQ(named(seen, "runs").tallies.at(0), (ThreadTally{.state = 'R', .count = 2}));
  EXPECT_EQ(named(seen, "stopped").tallies.at(0), (ThreadTally{.state = 'T', .count = 2}));
  EXPECT_EQ(named(seen, "faults").tallies.at(0).call, "page_fault");
  EXPECT_TRUE(named(groups().take(), "waits").tallies.empty());  // begun anew
}

TEST_F(ThreadGroupsTest, NoCounterFallsWhenThreadsEndOrTakeAName) {
  proc_.blocked({.pid = 10, .id = 11, .name = "pool"}, "running\n", "0");
  proc_.blocked({.pid = 10, .id = 12, .name = "pool"}, "running\n", "0", "2000000000 0 9\n");
  EXPECT_DOUBLE_EQ(*named(look_and_take(), "pool").cpu_s, 3);
  proc_.remove("proc/10/task/12");
  auto seen = look_and_take();
  EXPECT_EQ(named(seen, "pool").count, 1);
  EXPECT_DOUBLE_EQ(*named(seen, "pool").cpu_s, 3);
  proc_.blocked({.pid = 10, .id = 11, .name = "saver"}, "running\n", "0", "1500000000 700000000 9\n");
  seen = look_and_take();
  EXPECT_EQ(named(seen, "pool").count, 0);
  EXPECT_DOUBLE_EQ(*named(seen, "pool").cpu_s, 3.5);
  EXPECT_DOUBLE_EQ(*named(seen, "saver").cpu_s, 0);
  proc_.blocked({.pid = 10, .id = 11, .name = "saver"}, "running\n", "0", "1750000000 700000000 9\n");
  EXPECT_DOUBLE_EQ(*named(look_and_take(), "saver").cpu_s, 0.25);
}

TEST_F(ThreadGroupsTest, NamesWithoutEndAreMerged) {
  look_and_take();
  for (int i = 0; i < 40; ++i) {
    proc_.blocked({.pid = 10, .id = 100 + i, .name = fmt::format("job-{}", i)}, "running\n", "0");
    look_and_take();
    proc_.remove(fmt::format("proc/10/task/{}", 100 + i));
  }
  const auto seen = look_and_take();
  EXPECT_LE(seen.size(), 20U);
  double cpu_s = 0;
  for (const ThreadsSeen& threads : seen) cpu_s += threads.main ? 0 : *threads.cpu_s;
  EXPECT_DOUBLE_EQ(cpu_s, 40);
}

TEST_F(ThreadGroupsTest, WithoutSchedstatsTimeIsInTicksAndDelaysAreUnknown) {
  const auto ticks = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  proc_.blocked({.pid = 10, .user_ticks = 2 * ticks, .system_ticks = ticks}, "running\n", "0", "0 0 0\n");
  const auto seen = look_and_take();
  EXPECT_DOUBLE_EQ(*seen[0].cpu_s, 3);
  EXPECT_FALSE(seen[0].run_delay_s);
  EXPECT_EQ(seen[0].run_delay_s.why(), "this kernel keeps no schedstats");
}

TEST_F(ThreadGroupsTest, AMissingSchedstatFileSaysSo) {
  proc_.remove("proc/10/task/10/schedstat");
  proc_.thread({.pid = 10, .user_ticks = 100});
  const auto seen = look_and_take();
  EXPECT_TRUE(seen[0].cpu_s);
  EXPECT_FALSE(seen[0].run_delay_s);
  EXPECT_EQ(groups().blindness().run_delays, "this kernel does not show it");
}

TEST_F(ThreadGroupsTest, ThreadsThatVanishInMidReadAreAbsent) {
  proc_.blocked({.pid = 10, .id = 11, .name = "brief"}, "running\n", "0");
  groups().look_for_threads();
  proc_.write("proc/10/task/11/stat", "");  // as a read of an ended thread finds it
  groups().sample_others(99, random_);
  EXPECT_TRUE(named(groups().take(), "brief").tallies.empty());
  proc_.remove("proc/10/task/11");
  EXPECT_EQ(named(look_and_take(), "brief").count, 0);
}

TEST_F(ThreadGroupsTest, OfManyThreadsAFewAreDrawn) {
  for (int i = 0; i < 50; ++i) proc_.blocked({.pid = 10, .id = 100 + i, .name = "omp"}, "running\n", "0");
  groups().look_for_threads();
  for (int i = 0; i < 30; ++i) groups().sample_others(8, random_);
  const auto seen = groups().take();
  EXPECT_EQ(named(seen, "omp").count, 50);
  EXPECT_EQ(named(seen, "omp").tallies.at(0).count, 240U);
  EXPECT_TRUE(seen[0].tallies.empty());  // the main thread is not one of them
}

TEST_F(ThreadGroupsTest, DescriptorsAreGivenBack) {
  for (int i = 0; i < 20; ++i) proc_.blocked({.pid = 10, .id = 100 + i, .name = "omp"}, "running\n", "0");
  look_and_take();
  groups().sample_others(99, random_);
  EXPECT_GT(budget_.taken(), 20);
  for (int i = 0; i < 20; ++i) proc_.remove(fmt::format("proc/10/task/{}", 100 + i));
  look_and_take();
  EXPECT_LE(budget_.taken(), 4);
  groups_.reset();
  EXPECT_EQ(budget_.taken(), 0);
}

TEST_F(ThreadGroupsTest, WithoutDescriptorsToKeepItReadsAllTheSame) {
  budget_ = DescriptorBudget(0);
  proc_.blocked({.pid = 10, .id = 11, .name = "pool"}, "running\n", "0");
  groups().look_for_threads();
  groups().sample_others(9, random_);
  const auto seen = groups().take();
  EXPECT_EQ(named(seen, "pool").tallies.at(0).count, 1U);
  EXPECT_DOUBLE_EQ(*named(seen, "pool").cpu_s, 1);
}

}  // namespace
}  // namespace stoker::watch
