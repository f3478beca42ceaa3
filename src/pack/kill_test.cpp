// What a pack that is killed leaves behind.
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "stoker/pack.hpp"

#include "base/crc.hpp"
#include "pack/test_images.hpp"
#include "record/dataset_manifest.hpp"

namespace stoker::packing {
namespace {

using namespace test_images;

// Starts a process that packs again and again, kills it after `delay`, and waits until it is gone.
void pack_and_kill(const PackOptions& options, std::chrono::microseconds delay) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      while (true) pack(options);
    } catch (...) {
      _exit(1);
    }
  }
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the pack failed by itself";
}

TEST(Kill, AtAnyMomentEveryFinalNameIsWholeOrAbsent) {
  const test::TempDir dir;
  write_photos(dir, 24);
  // Two packs that differ in every file; each child replaces what the other left.
  const PackOptions kinds[] = {
      {.source = dir.path("photos"), .destination = dir.path("out/set.rec")},
      {.source = dir.path("photos"), .destination = dir.path("out/set.rec"), .resize_short = 40}};
  std::set<std::string> whole[2];
  for (const PackOptions& options : kinds) {
    pack(options);
    whole[0].insert(test::read_file(options.destination));
    whole[1].insert(test::read_file(dir.path("out/set.idx")));
  }
  int sealed = 0;
  for (int round = 0; round < 16; ++round) {
    pack_and_kill(kinds[round % 2], std::chrono::microseconds(1'000 + round * 7'919 % 90'000));
    const std::string shard = test::read_file(dir.path("out/set.rec"));
    EXPECT_TRUE(whole[0].contains(shard)) << "round " << round;
    EXPECT_TRUE(whole[1].contains(test::read_file(dir.path("out/set.idx")))) << "round " << round;
    // An index that belongs to the other pack is seen as such: the records read are always those of the
    // shard.
    EXPECT_EQ(read_all(dir.path("out/set.rec")).size(), 24U) << "round " << round;
    const SeekIndexState state = open_records(dir.path("out/set.rec"))->seek_index().state;
    EXPECT_TRUE(state == SeekIndexState::used || state == SeekIndexState::none)
        << "a seek index of another shard, round " << round;
    const auto manifest = record::read_manifest(*open_store(dir.path()), dir.path("out/set.rec"));
    if (!manifest) continue;
    ++sealed;
    EXPECT_EQ(manifest->shards.at(0).crc32c, crc32c(as_bytes(shard)))
        << "a seal that does not fit, round " << round;
  }
  RecordProperty("sealed_rounds", sealed);
  pack(kinds[0]);
  EXPECT_TRUE(std::filesystem::exists(dir.path("out/set.dataset.json")))
      << "the next pack repairs whatever was left";
  for (const auto& entry : std::filesystem::directory_iterator(dir.path("out")))
    EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path() << " is left of a killed pack";
}

}  // namespace
}  // namespace stoker::packing
