#include "pack/scratch_store.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stoker/error.hpp"

#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

bool is_empty(const test::TempDir& dir) { return std::filesystem::is_empty(dir.path(".")); }

TEST(ScratchStore, CountsWhatItWritesAndLeavesNothing) {
  const test::TempDir dir;
  ScratchStore store(dir.path("."));
  const std::vector<std::byte> bytes(3 * kMiB);
  const auto file = store.create("x.rec"), other = store.create("x.idx");
  for (int i = 0; i < 30; ++i) {
    file->append(bytes);
    EXPECT_TRUE(is_empty(dir));
  }
  other->append(std::span(bytes).first(10));
  EXPECT_EQ(file->bytes_written(), 90 * kMiB);
  EXPECT_EQ(other->bytes_written(), 10U);
  EXPECT_EQ(store.cost().appended, 90 * kMiB + 10);
  EXPECT_EQ(store.cost().written, 64 * kMiB) << "no more is written";
  EXPECT_GT(store.cost().cpu_s, 0);
  EXPECT_GT(store.cost().wall_s, 0);
  EXPECT_GT(store.cost().sync_wall_s, 0);
  file->commit();
  EXPECT_TRUE(is_empty(dir));
  EXPECT_FALSE(store.info("x.rec"));
  EXPECT_THROW(store.open_read("x.rec"), Error);
}

TEST(ScratchStore, OnlyCountsWithoutAFolder) {
  for (const char* folder : {"", "/proc"}) {
    ScratchStore store(folder);
    const std::vector<std::byte> bytes(2 * kMiB);
    store.create("x.rec")->append(bytes);
    store.sync();
    EXPECT_EQ(store.cost().appended, 2 * kMiB) << folder;
    EXPECT_EQ(store.cost().written, 0U) << folder;
  }
}

TEST(ScratchStore, OfLittleTheSyncTellsNothing) {
  const test::TempDir dir;
  ScratchStore store(dir.path("."));
  const std::vector<std::byte> bytes(1000);
  store.create("x.rec")->append(bytes);
  store.sync();
  EXPECT_EQ(store.cost().written, 1000U);
  EXPECT_EQ(store.cost().sync_wall_s, 0);
}

}  // namespace
}  // namespace stoker::packing
