#include "load/counters_page.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/endian.hpp"
#include "support/temp_dir.hpp"

namespace stoker::load {
namespace {

using stoker::test::TempDir;

// A runtime folder of the test's own.
class CountersPageTest : public ::testing::Test {
 protected:
  CountersPageTest() {
    if (const char* old = std::getenv("XDG_RUNTIME_DIR")) before_ = old;
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  }
  ~CountersPageTest() override {
    if (before_) {
      setenv("XDG_RUNTIME_DIR", before_->c_str(), 1);
    } else {
      unsetenv("XDG_RUNTIME_DIR");
    }
  }
  static std::string path() { return counters_path(static_cast<std::uint32_t>(getpid())); }
  // As a watcher in another process reads it.
  static std::vector<std::byte> bytes() {
    const std::string text = stoker::test::read_file(path());
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
  }
  static std::uint64_t number(std::size_t offset) { return load_le<std::uint64_t>(bytes().data() + offset); }

  TempDir folder_;
  std::optional<std::string> before_;
};

constexpr std::size_t kDecode = 64 + 64;  // offset of the decode stage

TEST_F(CountersPageTest, FileNamesItsProcess) {
  const Counters counters(true);
  ASSERT_NE(counters.page(), nullptr);
  const std::vector<std::byte> file = bytes();
  ASSERT_EQ(file.size(), sizeof(CountersFile));
  EXPECT_EQ(std::memcmp(file.data(), "STOKCNT1", 8), 0);
  EXPECT_EQ(load_le<std::uint32_t>(file.data() + 8), kCountersVersion);
  EXPECT_EQ(load_le<std::uint32_t>(file.data() + 12), static_cast<std::uint32_t>(getpid()));
  EXPECT_GT(load_le<std::uint64_t>(file.data() + 16), 0U);
  EXPECT_EQ(load_le<std::uint32_t>(file.data() + 28), kStageCount);
}

TEST_F(CountersPageTest, OnlyItsUserMayLook) {
  const Counters counters(true);
  struct stat found{};
  ASSERT_EQ(stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  ASSERT_EQ(stat((folder_.path() + "/stoker").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
}

TEST_F(CountersPageTest, LoadersOfAProcessAddUp) {
  auto first = std::make_unique<Counters>(true);
  auto second = std::make_unique<Counters>(true);
  first->add(Stage::decode, {.items = 3, .bytes = 100, .busy = std::chrono::nanoseconds(50)});
  second->add(Stage::decode, {.items = 4, .bytes = 11, .busy = std::chrono::nanoseconds(7)});
  EXPECT_EQ(first->own().stages[1].items, 3U);
  EXPECT_EQ(second->own().stages[1].items, 4U);
  EXPECT_EQ(number(kDecode), 7U);       // items
  EXPECT_EQ(number(kDecode + 8), 57U);  // busy_ns
  EXPECT_EQ(number(kDecode + 40), 111U);
  first->set_depth(Stage::decode, 10);
  second->set_depth(Stage::decode, 5);
  first->set_depth(Stage::decode, 2);
  first->set_threads(4);
  second->set_threads(2);
  EXPECT_EQ(number(kDecode + 32), 7U);
  EXPECT_EQ(load_le<std::uint32_t>(bytes().data() + 24), 6U);
  first.reset();  // its threads and queues go, what it counted stays
  EXPECT_EQ(number(kDecode + 32), 5U);
  EXPECT_EQ(load_le<std::uint32_t>(bytes().data() + 24), 2U);
  EXPECT_EQ(number(kDecode), 7U);
}

TEST_F(CountersPageTest, FileGoesWithTheLastLoader) {
  auto first = std::make_unique<Counters>(true);
  auto second = std::make_unique<Counters>(true);
  first.reset();
  EXPECT_TRUE(std::filesystem::exists(path()));
  second.reset();
  EXPECT_FALSE(std::filesystem::exists(path()));
  const Counters third(true);  // and comes again
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(CountersPageTest, ReplacesWhatADeadProcessLeft) {
  std::filesystem::create_directory(folder_.path() + "/stoker");
  std::filesystem::permissions(folder_.path() + "/stoker", std::filesystem::perms::owner_all);
  folder_.write("stoker/" + std::to_string(getpid()) + ".counters", "left over");
  const Counters counters(true);
  EXPECT_EQ(bytes().size(), sizeof(CountersFile));
}

TEST_F(CountersPageTest, AFolderThatOthersMayWriteIsNotUsed) {
  std::filesystem::create_directory(folder_.path() + "/stoker");
  std::filesystem::permissions(folder_.path() + "/stoker", std::filesystem::perms::all);
  Counters counters(true);
  EXPECT_EQ(counters.page(), nullptr);
  counters.add(Stage::read, {.items = 1});
  EXPECT_EQ(counters.own().stages[0].items, 1U);
}

TEST_F(CountersPageTest, ALinkInPlaceOfTheFolderIsNotFollowed) {
  const TempDir elsewhere;
  std::filesystem::create_directory_symlink(elsewhere.path(), folder_.path() + "/stoker");
  const Counters counters(true);
  EXPECT_EQ(counters.page(), nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere.path()));
}

TEST_F(CountersPageTest, NothingIsWrittenWhereNothingIsPublished) {
  const Counters counters(false);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/stoker"));
}

TEST(LocalCountsTest, TellsWhenDueAndAtTheEnd) {
  Counters counters(false);
  const auto now = std::chrono::steady_clock::now();
  {
    LocalCounts local(counters);
    local[Stage::read].items = 2;
    local.flush_if_due(now);
    EXPECT_EQ(counters.own().stages[0].items, 2U);
    local[Stage::read].items = 5;
    local.flush_if_due(now + std::chrono::microseconds(10));
    EXPECT_EQ(counters.own().stages[0].items, 2U);
  }
  EXPECT_EQ(counters.own().stages[0].items, 7U);
}

}  // namespace
}  // namespace stoker::load
