// Files that are opened again and again.
#include "store/pooled_store.hpp"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

#include "stoker/error.hpp"

#include "store/local_store.hpp"
#include "support/temp_dir.hpp"

namespace stoker::store {
namespace {

std::string text_at(const ReadableFile& file, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(file.read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

class PooledStoreTest : public testing::Test {
 protected:
  std::vector<std::unique_ptr<ReadableFile>> open_files(int count) {
    std::vector<std::unique_ptr<ReadableFile>> files;
    for (int i = 0; i < count; ++i)
      files.push_back(store_.open_read(folder_.write("f" + std::to_string(i), "file " + std::to_string(i))));
    return files;
  }

  test::TempDir folder_;
  std::shared_ptr<FilePool> pool_ = std::make_shared<FilePool>(3);
  PooledStore store_{std::make_shared<LocalStore>(), pool_};
};

TEST_F(PooledStoreTest, ManyFilesReadThroughFewDescriptors) {
  const auto files = open_files(20);
  EXPECT_EQ(pool_->open_files(), 3u);
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(text_at(*files[i], 5, 9), std::to_string(i));
      EXPECT_EQ(pool_->open_files(), 3u);
    }
  EXPECT_EQ(files[7]->path(), folder_.path("f7"));
  EXPECT_EQ(files[7]->bytes(), 6u);
}

TEST_F(PooledStoreTest, WhatWasReadLastStaysOpen) {
  const auto files = open_files(4);
  text_at(*files[0], 0, 1);
  for (const char* name : {"f0", "f1"}) std::filesystem::remove(folder_.path(name));
  EXPECT_EQ(text_at(*files[0], 0, 6), "file 0");  // still open, so that its name is not needed
  EXPECT_THROW(text_at(*files[1], 0, 6), Error);
}

TEST_F(PooledStoreTest, FilesThatAreGoneLeaveThePool) {
  auto files = open_files(3);
  files.clear();
  EXPECT_EQ(pool_->open_files(), 0u);
}

TEST_F(PooledStoreTest, FileThatWasReplacedIsAnErrorAndNotOtherBytes) {
  const auto files = open_files(4);
  folder_.write("f0", "another file");
  try {
    text_at(*files[0], 0, 6);
    FAIL() << "other bytes were read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find(folder_.path("f0")), std::string::npos);
  }
}

TEST_F(PooledStoreTest, RefusesToOpenWhatIsNotThere) {
  EXPECT_THROW(store_.open_read(folder_.path("absent")), Error);
  EXPECT_FALSE(store_.info(folder_.path("absent")));
}

TEST_F(PooledStoreTest, ThreadsReadAtOnce) {
  const auto files = open_files(40);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t k = 0; k < 400; ++k) {
        const std::size_t i = (k * 7 + t * 13) % files.size();
        files[i]->prefetch(0, 4);
        if (text_at(*files[i], 5, 9) != std::to_string(i)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pool_->open_files(), 3u);
}

TEST(FilePool, OfTheProcessLeavesMostDescriptorsToOthers) {
  EXPECT_GE(FilePool::of_process()->limit(), 4u);
  EXPECT_LE(FilePool::of_process()->limit(), 512u);
}

}  // namespace
}  // namespace stoker::store
