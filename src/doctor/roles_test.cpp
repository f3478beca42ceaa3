#include "doctor/roles.hpp"

#include <gtest/gtest.h>

namespace stoker::doctor {

namespace {

void add(Snapshot& s, std::int64_t pid, std::int64_t parent, std::string name, std::string command,
         double cpu = 0) {
  ProcessSeen& p = s.processes.emplace_back();
  p.pid = pid;
  p.parent = parent;
  p.name = std::move(name);
  p.command = std::move(command);
  p.user_s = cpu;
  p.system_s = 0.0;
}

void hold(Snapshot& s, std::int64_t pid, bool here = true) {
  GpuSeen& gpu = s.gpus.emplace_back();
  GpuProcess process;
  process.pid = pid;
  process.here = here;
  gpu.processes = std::vector<GpuProcess>{process};
}

using Indexes = std::vector<std::size_t>;

TEST(Roles, PyTorchsWorkersByName) {
  Snapshot s;
  add(s, 10, 1, "python", "python train.py");
  add(s, 11, 10, "pt_data_worker", "python train.py");
  add(s, 12, 10, "pt_data_worker", "python train.py");
  add(s, 13, 10, "git", "git status");
  EXPECT_EQ(roles_of(s).mains, Indexes{0});
  EXPECT_EQ(roles_of(s).workers, (Indexes{1, 2}));
}

TEST(Roles, OldWorkersAreForksOfTheSameCommand) {
  Snapshot s;
  add(s, 10, 1, "python", "python train.py");
  add(s, 11, 10, "python", "python train.py");
  EXPECT_EQ(roles_of(s).workers, Indexes{1});
}

TEST(Roles, SpawnPutsAProcessInBetween) {
  Snapshot s;
  add(s, 10, 1, "python", "python train.py");
  add(s, 11, 10, "python", "python -c from multiprocessing.resource_tracker import main;main(5)");
  add(s, 12, 10, "python", "python -c from multiprocessing.forkserver import main; main(…)");
  add(s, 13, 12, "pt_data_worker", "python -c from multiprocessing.forkserver import main; main(…)");
  EXPECT_EQ(roles_of(s).mains, Indexes{0});
  EXPECT_EQ(roles_of(s).workers, Indexes{3});
}

TEST(Roles, RanksOfALauncherAreMains) {
  Snapshot s;
  add(s, 10, 1, "python", "python -m torch.distributed.run train.py");
  add(s, 11, 10, "python", "python train.py");
  add(s, 12, 10, "python", "python train.py");
  add(s, 13, 11, "pt_data_worker", "python train.py");
  hold(s, 11);
  hold(s, 12);
  EXPECT_EQ(roles_of(s).mains, (Indexes{1, 2}));
  EXPECT_EQ(roles_of(s).workers, Indexes{3});
}

TEST(Roles, RanksThatAProcessSpawnedAreNoWorkers) {
  Snapshot s;
  add(s, 10, 1, "python", "python train.py");
  add(s, 11, 10, "python", "python -c from multiprocessing.spawn import spawn_main");
  hold(s, 11);
  EXPECT_EQ(roles_of(s).mains, Indexes{1});
  EXPECT_TRUE(roles_of(s).workers.empty());
}

TEST(Roles, AHostsNumbersSayNothingInAContainer) {
  Snapshot s;
  add(s, 10, 1, "python", "python train.py");
  add(s, 11, 10, "python", "python other.py");
  hold(s, 11, false);
  EXPECT_EQ(roles_of(s).mains, Indexes{0});
}

TEST(Roles, BelowAShellTheBusiest) {
  Snapshot s;
  add(s, 10, 1, "bash", "bash run.sh", 0.1);
  add(s, 11, 10, "tee", "tee log", 0.2);
  add(s, 12, 10, "python", "python train.py", 50);
  EXPECT_EQ(roles_of(s).mains, Indexes{2});
}

TEST(Roles, StokersLoaderMarksTheMainProcess) {
  Snapshot s;
  add(s, 10, 1, "bash", "bash run.sh", 90);
  add(s, 11, 10, "stoker", "stoker train", 1);
  s.loaders.push_back({.pid = 11, .stages = {}});
  EXPECT_EQ(roles_of(s).mains, Indexes{1});
}

TEST(Roles, NoneWithoutProcesses) {
  EXPECT_TRUE(roles_of({}).mains.empty());
  EXPECT_TRUE(roles_of({}).workers.empty());
}

TEST(Roles, ThreadsThatMayLoad) {
  ThreadsSeen t;
  for (const char* name : {"python", "[DALI][WT]0", "tf_data_private", "stoker-decode"}) {
    t.name = name;
    EXPECT_TRUE(may_load(t)) << name;
  }
  for (const char* name : {"pt_autograd_0", "pt_data_pin", "cuda-EvtHandlr", "cuda00001400006"}) {
    t.name = name;
    EXPECT_FALSE(may_load(t)) << name;
  }
  t.name = "python";
  t.main = true;
  EXPECT_FALSE(may_load(t));
}

}  // namespace

}  // namespace stoker::doctor
