#include "store/file_lock.hpp"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

#include "stoker/error.hpp"

#include "support/temp_dir.hpp"

namespace stoker::store {
namespace {

TEST(FileLock, OneHolderAtATimeAndNothingIsLeft) {
  const test::TempDir folder;
  const std::string guarded = folder.path("deep/x.seek");
  std::atomic<int> holders{0}, most{0}, turns{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const FileLock lock(guarded);
        if (++holders > 1) ++most;
        std::this_thread::yield();
        --holders;
        ++turns;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 0);
  EXPECT_EQ(turns, 20);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("deep")));
}

TEST(FileLock, PatienceEnds) {
  const test::TempDir folder;
  const FileLock held(folder.path("x"));
  try {
    const FileLock second(folder.path("x"), std::chrono::seconds(0));
    FAIL() << "two holders";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
  }
}

TEST(FileLock, WhoseFileWentLeavesThatOfTheNextHolder) {
  const test::TempDir folder;
  auto first = std::make_optional<FileLock>(folder.path("deep/x"));
  std::filesystem::remove_all(folder.path("deep"));
  const FileLock second(folder.path("deep/x"));
  first.reset();
  EXPECT_THROW(FileLock(folder.path("deep/x"), std::chrono::seconds(0)), Error) << "the second holds it";
}

TEST(FileLock, AFolderThatCannotBeMadeIsAnError) {
  const test::TempDir folder;
  folder.write("file", "");
  EXPECT_THROW(FileLock(folder.path("file/x")), Error);
}

TEST(FileLock, OtherStoresAreNotGuarded) { const FileLock one("s3://bucket/x"), two("s3://bucket/x"); }

}  // namespace
}  // namespace stoker::store
