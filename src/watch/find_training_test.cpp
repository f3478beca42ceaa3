#include <gtest/gtest.h>

#include "stoker/watch.hpp"

#include "watch/linux/proc_fixture.hpp"

namespace stoker {
namespace {

using namespace std::string_literals;

struct Machine : watch::ProcFixture {
  void process(const watch::FixtureThread& x, const std::string& command) const {
    thread(x);
    write(fmt::format("proc/{}/cmdline", x.pid), command);
  }
  std::optional<TrainingProcess> find() const { return find_training(options(0)); }
};

constexpr const char* kTrain = "python train.py";
constexpr const char* kServer = "python -c from multiprocessing.forkserver import main; main(5)";
constexpr const char* kSpawned = "python -c from multiprocessing.spawn import spawn_main; spawn_main()";

TEST(FindTraining, NothingIsFoundWhereNothingComputes) {
  const Machine machine;
  machine.process({.pid = 10}, "bash");
  EXPECT_FALSE(machine.find());
}

TEST(FindTraining, TheParentOfTheWorkersIsTheTraining) {
  const Machine machine;
  machine.process({.pid = 10}, "bash");
  machine.process({.pid = 20, .parent = 10}, "python train.py\0--lr=1\0"s);
  for (std::int64_t pid : {21, 22})
    machine.process({.pid = pid, .parent = 20, .name = "pt_data_worker"}, kTrain);
  const auto found = machine.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pid, 20);
  EXPECT_EQ(found->command, "python train.py --lr=1");
  EXPECT_EQ(found->why, "has 2 data workers");
}

TEST(FindTraining, AServerInBetweenIsPassedOver) {
  const Machine machine;
  machine.process({.pid = 20}, kTrain);
  machine.process({.pid = 30, .parent = 20}, kServer);
  machine.process({.pid = 31, .parent = 30, .name = "pt_data_worker"}, kServer);
  EXPECT_EQ(machine.find().value().pid, 20);
  EXPECT_EQ(machine.find()->why, "has 1 data worker");
}

TEST(FindTraining, TheFirstProcessOfAContainerMayBeIt) {
  const Machine machine;
  machine.process({.pid = 1, .parent = 0}, kTrain);
  machine.process({.pid = 21, .parent = 1, .name = "pt_data_worker"}, kTrain);
  EXPECT_EQ(machine.find().value().pid, 1);
}

TEST(FindTraining, WorkersOfATrainingThatIsGoneDoNotCount) {
  const Machine machine;
  machine.process({.pid = 1, .parent = 0}, "/sbin/init");
  machine.process({.pid = 21, .parent = 1, .name = "pt_data_worker"}, kTrain);
  machine.process({.pid = 22, .parent = 1, .name = "pt_data_worker"}, kSpawned);
  EXPECT_FALSE(machine.find());
}

TEST(FindTraining, WhoHasTheDeviceOpenComesBeforeWorkers) {
  const Machine machine;
  machine.process({.pid = 20}, kTrain);
  machine.process({.pid = 21, .parent = 20, .name = "pt_data_worker"}, kTrain);
  machine.process({.pid = 40}, "python serve.py");
  machine.process({.pid = 41, .parent = 40}, "python serve.py");
  machine.process({.pid = 50}, "Xorg");
  machine.link("proc/40/fd/7", "/dev/nvidia-uvm");
  machine.link("proc/41/fd/7", "/dev/nvidia-uvm");  // inherited
  machine.link("proc/50/fd/7", "/dev/nvidia0");     // draws
  EXPECT_EQ(machine.find().value().pid, 40);
  EXPECT_EQ(machine.find()->why, "has a GPU's device open");
}

TEST(FindTraining, KernelThreadsAndZombiesAreNone) {
  const Machine machine;
  machine.process({.pid = 2, .parent = 0, .name = "pt_data_worker"}, "");
  machine.process({.pid = 20, .state = 'Z'}, kTrain);
  machine.process({.pid = 21, .parent = 20, .name = "pt_data_worker"}, kTrain);
  EXPECT_FALSE(machine.find());
}

struct Named : Machine {
  void status(std::int64_t pid, std::int64_t group) const {
    write(fmt::format("proc/{}/status", pid), fmt::format("Name:\tpython\nTgid:\t{}\n", group));
  }
  TrainingProcess named(std::int64_t pid) const { return training_of(options(pid)); }
};

TEST(TrainingOf, AWorkerIsItsTrainings) {
  const Named machine;
  machine.process({.pid = 20}, kTrain);
  machine.process({.pid = 21, .parent = 20, .name = "pt_data_worker"}, kTrain);
  machine.process({.pid = 30, .parent = 20}, kServer);
  machine.process({.pid = 31, .parent = 30, .name = "pt_data_worker"}, kServer);
  machine.process({.pid = 32, .parent = 20}, kTrain);  // before PyTorch 1.13 a fork bears no name
  for (const std::int64_t pid : {20, 21, 31, 32}) machine.status(pid, pid);
  for (const std::int64_t pid : {21, 31, 32}) {
    EXPECT_EQ(machine.named(pid).pid, 20) << pid;
    EXPECT_EQ(machine.named(pid).why, fmt::format("{} is a data worker of 20", pid));
  }
  EXPECT_EQ(machine.named(20).pid, 20);
  EXPECT_EQ(machine.named(20).why, "");
}

TEST(TrainingOf, AThreadIsItsProcesss) {
  const Named machine;
  machine.process({.pid = 20}, kTrain);
  machine.status(25, 20);
  EXPECT_EQ(machine.named(25).pid, 20);
  EXPECT_EQ(machine.named(25).why, "25 is a thread of 20");
}

TEST(TrainingOf, RanksAndWhatIsNotThereAreThemselves) {
  const Named machine;
  machine.process({.pid = 1, .parent = 0}, "/sbin/init");
  machine.process({.pid = 20}, kTrain);
  machine.process({.pid = 21, .parent = 20}, kSpawned);
  machine.process({.pid = 22, .parent = 20}, kTrain);
  machine.process({.pid = 23, .parent = 1, .name = "pt_data_worker"}, kTrain);  // its training is gone
  for (const std::int64_t pid : {21, 22}) machine.link(fmt::format("proc/{}/fd/7", pid), "/dev/nvidia-uvm");
  for (const std::int64_t pid : {21, 22, 23}) {
    machine.status(pid, pid);
    EXPECT_EQ(machine.named(pid).pid, pid);
    EXPECT_EQ(machine.named(pid).why, "");
  }
  EXPECT_EQ(machine.named(99).pid, 99);
}

}  // namespace
}  // namespace stoker
