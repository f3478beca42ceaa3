#include "fake_nvml/events.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace stoker::fake_nvml {
namespace {

class Events : public ::testing::Test {
 protected:
  void append(const std::string& text) {
    std::ofstream(path_, std::ios::app) << text;
    machine_.refresh();
  }
  Machine& read(const std::string& text, double now = 0) {
    std::ofstream(path_) << text;
    EXPECT_TRUE(machine_.open(path_, now));
    return machine_;
  }
  const Gpu& gpu(std::size_t index = 0) { return machine_.gpus.at(index); }

  test::TempDir folder_;
  std::string path_ = folder_.path("events.txt");
  Machine machine_;
};

TEST_F(Events, UtilisationIsTheBusyShare) {
  read("busy 10 0\nidle 11 0\nbusy 13 0\nidle 14 0\n");
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 10, 14), 50);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 10.5, 11.5), 50);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 0, 10), 0);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 13.25, 13.5), 100);
}

TEST_F(Events, BusyWithoutAnEndLastsOn) {
  read("busy 10 0\n");
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 12, 13), 100);
  append("idle 12.5 0\n");
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 12, 13), 50);
}

TEST_F(Events, FixedUtilisationHoldsUntilItIsTakenBack) {
  read("busy 0 0\nseen 10 0 util=30\nseen 20 0 util=-\n");
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 5, 15), 65);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 15, 25), 65);
}

TEST_F(Events, AClockFromTheStartRepeats) {
  read("clock start loop 4\nbusy 1 0\nidle 2 0\nprocess 3 0 pid=7\n", 1000);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 1000, 1400), 25);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 1005, 1006), 100);
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 1003.5, 1005.5), 25);
  EXPECT_TRUE(machine_.processes(gpu(), 1006.5).empty());
  EXPECT_EQ(machine_.processes(gpu(), 1007.5).size(), 1);
}

TEST_F(Events, PowerFollowsUtilisationUnlessItIsSaid) {
  read("gpu 0 power_limit_w=200\nbusy 0 0\nidle 5 0\nseen 10 0 power_w=120\n");
  EXPECT_DOUBLE_EQ(machine_.mean_power_w(gpu(), 0, 5), 160);
  EXPECT_DOUBLE_EQ(machine_.mean_power_w(gpu(), 5, 10), 30);
  EXPECT_DOUBLE_EQ(machine_.mean_power_w(gpu(), 8, 12), 75);
}

TEST_F(Events, ALineWithoutItsEndWaits) {
  read("seen 0 0 util=1");
  EXPECT_TRUE(machine_.gpus.empty());
  append("7\n");
  EXPECT_DOUBLE_EQ(machine_.mean_util(gpu(), 1, 2), 17);
}

TEST_F(Events, AShorterFileIsReadAnew) {
  read("gpu 0 name=A\ngpu 1 name=B\n");
  std::ofstream(path_) << "gpu 0 name=C\n";
  machine_.refresh();
  ASSERT_EQ(machine_.gpus.size(), 1);
  EXPECT_EQ(gpu().fact("name", ""), "C");
}

TEST_F(Events, FaultyLinesAreLeftOutAndTold) {
  testing::internal::CaptureStderr();
  read("busy soon 0\nbusy 1 900\nseen 1 0 util\nsleep 1 0\n\n# nothing\ngpu 1 name=A_100 # a name\n");
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("events.txt:1: no time"), std::string::npos) << told;
  EXPECT_NE(told.find(":2: no GPU's index"), std::string::npos) << told;
  EXPECT_NE(told.find(":3: not key=value: util"), std::string::npos) << told;
  EXPECT_NE(told.find(":4: unknown event sleep"), std::string::npos) << told;
  EXPECT_EQ(gpu(1).fact("name", ""), "A 100");
}

TEST_F(Events, AProcessIsReplacedByItsNewNumbers) {
  read("process 1 0 pid=7 memory_mib=10\nprocess 2 0 pid=7 memory_mib=20 sm=5\ngone 3 0 pid=7\n");
  EXPECT_EQ(machine_.processes(gpu(), 1.5).at(0).memory_mib, 10);
  ASSERT_EQ(machine_.processes(gpu(), 2.5).size(), 1);
  EXPECT_EQ(machine_.processes(gpu(), 2.5).at(0).memory_mib, 20);
  EXPECT_TRUE(machine_.processes(gpu(), 3).empty());
}

}  // namespace
}  // namespace stoker::fake_nvml
