#include "watch/linux/proc_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temp_dir.hpp"
#include "watch/linux/child_fixture.hpp"

namespace stoker::watch {
namespace {

TEST(ReadText, ReadsAllOfItUpToALimit) {
  const test::TempDir dir;
  const std::string text(100'000, 'x');
  const std::string path = dir.write("long", text);
  EXPECT_EQ(read_text(path).value(), text);
  EXPECT_EQ(read_text(path, 10).value(), "xxxxxxxxxx");
  EXPECT_EQ(read_text(dir.write("empty", "")).value(), "");
}

TEST(ReadText, TellsWhyNot) {
  const test::TempDir dir;
  EXPECT_EQ(read_text(dir.path("none")).error(), ENOENT);
  EXPECT_EQ(read_text(dir.path()).error(), EISDIR);
  EXPECT_EQ(why_not(EACCES), "needs root, or the permission to trace the process");
  EXPECT_FALSE(why_not(EISDIR).empty());
}

// A pipe that nobody writes to must not hold up the watcher.
TEST(ReadText, DoesNotWaitForAPipe) {
  const test::TempDir dir;
  ASSERT_EQ(mkfifo(dir.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_text(dir.path("fifo")).value_or(""), "");
}

TEST(KeptFile, SeesWhatIsWrittenLater) {
  const test::TempDir dir;
  DescriptorBudget budget(1);
  dir.write("a", "one");
  KeptFile file(AT_FDCWD, dir.path("a"), budget);
  std::array<char, 16> memory;
  EXPECT_EQ(file.read(memory).value(), "one");
  EXPECT_EQ(budget.taken(), 1);
  dir.write("a", "three");
  EXPECT_EQ(file.read(memory).value(), "three");
}

TEST(KeptFile, BeyondTheBudgetOpensEveryTime) {
  const test::TempDir dir;
  DescriptorBudget budget(1);
  KeptFile kept(AT_FDCWD, dir.write("a", "a"), budget);
  KeptFile once(AT_FDCWD, dir.write("b", "b"), budget);
  std::array<char, 16> memory;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(kept.read(memory).value(), "a");
    EXPECT_EQ(once.read(memory).value(), "b");
  }
  EXPECT_EQ(budget.taken(), 1);
  const KeptFile moved = std::move(kept);
  EXPECT_EQ(budget.taken(), 1);
}

TEST(KeptFile, OfAProcessThatEndedFails) {
  Child child([](const auto& ready) {
    ready();
    pause();
  });
  DescriptorBudget budget(4);
  const Descriptor folder(open(("/proc/" + std::to_string(child.pid())).c_str(), O_PATH | O_DIRECTORY));
  KeptFile stat(folder.get(), "stat", budget);
  KeptFile never_opened(folder.get(), "io", budget);
  std::array<char, 1024> memory;
  ASSERT_TRUE(stat.read(memory));
  child.end();
  EXPECT_FALSE(stat.read(memory));
  EXPECT_FALSE(never_opened.read(memory));
}

TEST(NumberedEntries, LeavesOutNames) {
  const test::TempDir dir;
  dir.write("12/x", "");
  dir.write("7", "");
  dir.write("self/x", "");
  dir.write("9a", "");
  std::vector<std::int64_t> numbers;
  for (const NumberedEntry& entry : numbered_entries(AT_FDCWD, dir.path())) numbers.push_back(entry.number);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{7, 12}));
  EXPECT_TRUE(numbered_entries(AT_FDCWD, dir.path("none")).empty());
}

}  // namespace
}  // namespace stoker::watch
