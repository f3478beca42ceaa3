#include "bench/storage_probe.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "stoker/error.hpp"

#include "bench/decode_feed.hpp"
#include "bench/decode_probe.hpp"
#include "bench/fixtures.hpp"
#include "bench/probe_files.hpp"
#include "support/temp_dir.hpp"

namespace stoker::bench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::UnorderedElementsAre;

constexpr milliseconds kLong{60'000}, kShort{300};

std::optional<bool> is_cached(const std::string& path) { return ProbeFile(path).was_cached(); }

// Writes a file that no memory holds; false where this file system has none but memory.
bool write_cold(const test::TempDir& dir, const std::string& name, std::size_t bytes, std::string& path) {
  path = dir.write(name, std::string(bytes, 'x'));
  drop_pages(path);
  return is_cached(path) == false;
}

#define NEEDS_STORAGE(cold) \
  if (!(cold)) GTEST_SKIP() << "this file system keeps all in memory, or does not tell"

TEST(ProbeFiles, NeighboursAndSistersOfTheSameEnding) {
  const test::TempDir dir;
  const std::string example = dir.write("train/cat/1.jpg", "x");
  const std::string beside = dir.write("train/cat/2.jpg", "x"), other = dir.write("train/dog/3.jpg", "x");
  const std::string sister = dir.write("train/eel/6.jpg", "x");
  dir.write("train/cat/notes.txt", "x");
  dir.write("train/dog/deeper/4.jpg", "x");
  dir.write("val/cat/5.jpg", "x");
  EXPECT_THAT(find_probe_files({example, dir.path("gone.jpg"), example, dir.path("train")}, 100, kLong),
              UnorderedElementsAre(example, beside));
  EXPECT_THAT(find_probe_files({example, other}, 100, kLong),
              UnorderedElementsAre(example, beside, other, sister));
}

TEST(ProbeFiles, NoMoreThanAskedForAndTheSameEachTime) {
  const test::TempDir dir;
  std::string example;
  for (int i = 0; i < 50; ++i) example = dir.write("a/" + std::to_string(i) + ".jpg", "x");
  const auto found = find_probe_files({example}, 20, kLong);
  EXPECT_EQ(found.size(), 20u);
  EXPECT_EQ(found, find_probe_files({example}, 20, kLong));
  EXPECT_THAT(found, testing::Contains(example));
}

TEST(ProbeFiles, NothingIsLookedForWithoutTime) {
  const test::TempDir dir;
  EXPECT_TRUE(find_probe_files({dir.write("1.jpg", "x")}, 100, milliseconds(0)).empty());
}

TEST(ProbeFile, WhatIsNoRegularFileIsNotOpened) {
  const test::TempDir dir;
  const std::string fifo = dir.path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(ProbeFile(fifo).is_open());  // nor waited for
  EXPECT_FALSE(ProbeFile(dir.path()).is_open());
  EXPECT_FALSE(ProbeFile(dir.path("none")).is_open());
}

TEST(ProbeFile, ReadsAndKnowsItsEnd) {
  const test::TempDir dir;
  ProbeFile file(dir.write("a", "0123456789"));
  ASSERT_TRUE(file.is_open());
  EXPECT_EQ(file.size(), 10u);
  std::byte memory[8];
  EXPECT_EQ(file.read(memory), 8u);
  EXPECT_EQ(file.read(memory), 2u);
  EXPECT_EQ(memory[1], std::byte{'9'});
  EXPECT_EQ(file.read(memory), 0u);
  EXPECT_EQ(ProbeFile(dir.path("a"), 10).was_cached(), std::nullopt);
}

TEST(ProbeFile, WhatItBroughtIntoTheCacheItDropsAgain) {
  const test::TempDir dir;
  std::string path;
  NEEDS_STORAGE(write_cold(dir, "a", 100'000, path));
  {
    ProbeFile file(path);
    std::vector<std::byte> memory(file.size());
    ASSERT_EQ(file.read(memory), 100'000u);
    EXPECT_EQ(is_cached(path), true);
  }
  EXPECT_EQ(is_cached(path), false);
}

TEST(ProbeFile, WhatWasInTheCacheStays) {
  const test::TempDir dir;
  std::string path;
  NEEDS_STORAGE(write_cold(dir, "a", 100'000, path));
  test::read_file(path);  // somebody else
  {
    ProbeFile file(path);
    std::vector<std::byte> memory(file.size());
    file.read(memory);
  }
  EXPECT_EQ(is_cached(path), true);
}

TEST(StorageProbe, EachNumberOfReadersHasItsRates) {
  const test::TempDir dir;
  std::string path;
  for (int i = 0; i < 60; ++i)
    NEEDS_STORAGE(write_cold(dir, "set/" + std::to_string(i) + ".bin", 30'000 + 100 * i, path));
  const ProbeSeen seen = probe_training({path}, {.readers = {1, 2, 4}, .reading = kLong});
  ASSERT_EQ(seen.storage.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.storage[i].readers, 1 << i);
    EXPECT_GT(seen.storage[i].reads_per_s, 0);
    // Whole files: bytes over reads lie between the smallest and the largest.
    const double mean = seen.storage[i].bytes_per_s / seen.storage[i].reads_per_s;
    EXPECT_GE(mean, 30'000);
    EXPECT_LE(mean, 35'900);
  }
  EXPECT_NEAR(*seen.mean_file_bytes, 32'950, 1);  // all were read, each once
  EXPECT_FALSE(seen.decode_ms || seen.decode_small_ms || seen.stoker_ms);
  EXPECT_EQ(is_cached(path), false);
}

TEST(StorageProbe, FilesInTheCacheAreNoStorage) {
  const test::TempDir dir;
  std::string path;
  for (int i = 0; i < 60; ++i) path = dir.write(std::to_string(i) + ".bin", std::string(5000, 'x'));
  if (!is_cached(path)) GTEST_SKIP() << "this file system does not tell what is in the cache";
  const ProbeSeen seen = probe_training({path}, {.reading = kShort});
  EXPECT_TRUE(seen.storage.empty());
  EXPECT_FALSE(seen.mean_file_bytes);
}

TEST(StorageProbe, PiecesOfAContainerAreNoFiles) {
  const test::TempDir dir;
  std::string path;
  NEEDS_STORAGE(write_cold(dir, "train.rec", 40 << 20, path));
  const ProbeSeen seen = probe_training({path}, {.reading = kShort, .files = 64});
  EXPECT_FALSE(seen.mean_file_bytes);
  for (const ProbeSeen::Readers& one : seen.storage) EXPECT_LE(one.bytes_per_s / one.reads_per_s, 1 << 20);
}

TEST(StorageProbe, NothingToReadIsNothingSeen) {
  const test::TempDir dir;
  EXPECT_EQ(probe_training({}), ProbeSeen{});
  EXPECT_EQ(probe_training({dir.path("gone.jpg"), "", dir.path()}), ProbeSeen{});
  EXPECT_EQ(probe_training({dir.write("empty.jpg", "")}), ProbeSeen{});
}

TEST(StorageProbe, ItCanBeStopped) {
  const test::TempDir dir;
  const std::atomic<bool> cancel{true};
  try {
    probe_training({dir.write("a.jpg", "x")}, {}, &cancel);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

TEST(DecodeProbe, ThreeTimesOfImages) {
  const test::TempDir dir;
  make_set(dir, 2, 20);
  std::string example;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path("set/train")))
    if (entry.path().extension() == ".jpg") example = entry.path();
  ASSERT_FALSE(example.empty());
  ProbeSeen seen;
  probe_decoding(find_probe_files({example}, 100, kLong), {.images = 8, .limit = kLong}, nullptr, seen);
  ASSERT_TRUE(seen.decode_ms && seen.decode_small_ms && seen.stoker_ms);
  EXPECT_GT(*seen.decode_ms, 0);
  EXPECT_GT(*seen.decode_small_ms, 0);
  EXPECT_GT(*seen.stoker_ms, 0);
}

TEST(DecodeProbe, WhatIsNoSoundJpegIsPassedOver) {
  const test::TempDir dir;
  const std::string whole = test::read_file([&] {
    make_set(dir, 2, 5);
    for (const auto& entry : fs::recursive_directory_iterator(dir.path("set/train")))
      if (entry.path().extension() == ".jpg") return entry.path();
    return fs::path();
  }());
  std::vector<std::string> files = {dir.write("a.jpg", "\xff\xd8\xff\xe0 and no more"),
                                    dir.write("b.jpg", "text"), dir.write("c.jpg", whole.substr(0, 40)),
                                    dir.path("gone.jpg")};
  ProbeSeen seen;
  probe_decoding(files, {}, nullptr, seen);
  EXPECT_EQ(seen, ProbeSeen{});
  files.insert(files.begin(), dir.write("d.jpg", whole));
  probe_decoding(files, {}, nullptr, seen);
  EXPECT_TRUE(seen.decode_ms.has_value());
}

}  // namespace
}  // namespace stoker::bench
