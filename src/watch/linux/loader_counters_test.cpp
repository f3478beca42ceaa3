#include "watch/linux/loader_counters.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "stoker/counters.hpp"

#include "watch/linux/proc_fixture.hpp"

namespace stoker::watch {
namespace {

class LoaderCounters : public testing::Test {
 protected:
  LoaderCounters() {
    proc_.thread({.pid = 10, .start_ticks = 700});
    proc_.write("proc/10/status", "Name:\tpython\nTgid:\t10\nUid:\t1000\t1000\t1000\t1000\nNSpid:\t10\t4\n");
    file_.pid = 4;  // its number in its own namespace
    file_.process_start_ticks = 700;
    file_.threads = 8;
    file_.images = 1000;
    file_.batches = 10;
    file_.bad_samples = 2;
    file_.stages[1].items = 990;
    file_.stages[1].busy_ns = 1'500'000'000;
    file_.stages[1].blocked_on_output_ns = 250'000'000;
    file_.stages[0].bytes = 4096;
  }
  std::string bytes(std::size_t size = sizeof(CountersFile)) const {
    return {reinterpret_cast<const char*>(&file_), size};
  }
  std::optional<LoaderSeen> read() {
    DescriptorBudget budget(9);
    ProcessWatch process(proc_.root(), {10, 1, 700}, budget);
    ProcessSeen seen;
    EXPECT_TRUE(process.read(seen));
    fault_.clear();
    return read_loader(process, proc_.root(), fault_);
  }
  static constexpr const char* kShared = "proc/10/root/dev/shm/stoker-1000/4.counters";
  ProcFixture proc_;
  CountersFile file_;
  std::string fault_;
};

TEST_F(LoaderCounters, AreFoundThroughTheProcessesOwnRoot) {
  proc_.write(kShared, bytes());
  const auto loader = read();
  ASSERT_TRUE(loader);
  EXPECT_EQ(loader->pid, 10);
  EXPECT_EQ(loader->threads, 8);
  EXPECT_EQ(loader->images, 1000U);
  EXPECT_EQ(loader->batches, 10U);
  EXPECT_EQ(loader->bad_samples, 2U);
  ASSERT_EQ(loader->stages.size(), kStageCount);
  EXPECT_EQ(loader->stages[1].name, "decode");
  EXPECT_EQ(loader->stages[1].items, 990U);
  EXPECT_DOUBLE_EQ(loader->stages[1].busy_s, 1.5);
  EXPECT_DOUBLE_EQ(loader->stages[1].blocked_on_output_s, 0.25);
  EXPECT_EQ(loader->stages[0].bytes, 4096U);
}

TEST_F(LoaderCounters, AreFoundInTheRuntimeFolderOfTheProcess) {
  using namespace std::string_literals;
  proc_.write("proc/10/environ", "A=b\0XDG_RUNTIME_DIR=/run/user/1000\0C=d\0"s);
  proc_.write("proc/10/root/run/user/1000/stoker/4.counters", bytes());
  EXPECT_TRUE(read());
}

TEST_F(LoaderCounters, OfAnEarlierProcessOfThatNumberAreNone) {
  file_.process_start_ticks = 600;
  proc_.write(kShared, bytes());
  EXPECT_FALSE(read());
  EXPECT_EQ(fault_, "");
}

TEST_F(LoaderCounters, DamagedFilesAreToldOf) {
  proc_.write(kShared, bytes(100));
  EXPECT_FALSE(read());
  EXPECT_NE(fault_.find("no file of counters"), std::string::npos);
  file_.magic = 1;
  proc_.write(kShared, bytes());
  EXPECT_FALSE(read());
  EXPECT_NE(fault_.find("no file of counters"), std::string::npos);
  file_.magic = kCountersMagic;
  file_.version = 9;
  proc_.write(kShared, bytes());
  EXPECT_FALSE(read());
  EXPECT_NE(fault_.find("has version 9; allowed: 1"), std::string::npos);
}

TEST_F(LoaderCounters, NoFileIsNoFault) {
  EXPECT_FALSE(read());
  EXPECT_EQ(fault_, "");
}

}  // namespace
}  // namespace stoker::watch
