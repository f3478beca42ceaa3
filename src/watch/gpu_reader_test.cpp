#include "watch/gpu_reader.hpp"

#include <gtest/gtest.h>
#include <thread>

#include "watch/linux/proc_fixture.hpp"

namespace stoker::watch {
namespace {

using std::chrono::milliseconds;

TEST(GpuReader, SaysThatThereIsNone) {
  const ProcFixture proc;
  GpuReader reader(proc.options(0));
  Snapshot snapshot;
  reader.start();
  reader.take(snapshot, milliseconds(10'000));
  EXPECT_TRUE(snapshot.gpus.empty());
  ASSERT_EQ(snapshot.not_seen.size(), 1U);
  EXPECT_EQ(snapshot.not_seen[0].what, "GPUs");
}

TEST(GpuReader, OneStartGivesOneAnswer) {
  const ProcFixture proc;
  GpuReader reader(proc.options(0));
  for (int i = 0; i < 3; ++i) {
    reader.start();
    reader.start();
    Snapshot snapshot;
    reader.take(snapshot, milliseconds(10'000));
    EXPECT_EQ(snapshot.not_seen.at(0).what, "GPUs");
    EXPECT_NE(snapshot.not_seen[0].why, "their driver does not answer");
  }
}

TEST(GpuReader, WhatWasNotBegunIsNotWaitedFor) {
  const ProcFixture proc;
  GpuReader reader(proc.options(0));
  Snapshot snapshot;
  reader.take(snapshot, milliseconds(10'000'000));
  EXPECT_EQ(snapshot.not_seen.at(0).why, "their driver does not answer");
}

TEST(GpuReader, MayEndWhileItReads) {
  const ProcFixture proc;
  for (int i = 0; i < 5; ++i) GpuReader(proc.options(0)).start();
}

}  // namespace
}  // namespace stoker::watch
