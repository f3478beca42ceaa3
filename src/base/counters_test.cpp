#include "stoker/counters.hpp"

#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "support/temp_dir.hpp"

namespace stoker {
namespace {

// Sets a variable for a test and puts the old value back.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old, had_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (had_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};

TEST(CountersPath, LiesInTheRuntimeFolderWhereThereIsOne) {
  const test::TempDir folder;
  const ScopedVariable runtime("XDG_RUNTIME_DIR", folder.path());
  EXPECT_EQ(counters_path(42), folder.path() + "/stoker/42.counters");
}

TEST(CountersPath, FallsBackToSharedMemory) {
  const std::string expected = "/dev/shm/stoker-" + std::to_string(geteuid()) + "/42.counters";
  const ScopedVariable missing("XDG_RUNTIME_DIR", "/no/such/folder");
  EXPECT_EQ(counters_path(42), expected);
  const ScopedVariable relative("XDG_RUNTIME_DIR", "run");
  EXPECT_EQ(counters_path(42), expected);
}

// The layout is a file format: these numbers never change for version 1.
TEST(CountersFile, LayoutIsFixed) {
  EXPECT_EQ(sizeof(CountersFile), 64U + 5U * 64U);
  EXPECT_EQ(offsetof(CountersFile, threads), 24U);
  EXPECT_EQ(offsetof(CountersFile, images), 32U);
  EXPECT_EQ(offsetof(CountersFile, stages), 64U);
  const char bytes[] = "STOKCNT1";
  std::uint64_t magic = 0;
  for (int i = 7; i >= 0; --i) magic = magic << 8 | static_cast<unsigned char>(bytes[i]);
  EXPECT_EQ(magic, kCountersMagic);
}

TEST(Stage, HasNames) {
  EXPECT_EQ(to_string(Stage::read), "read");
  EXPECT_EQ(to_string(Stage::consume), "consume");
}

}  // namespace
}  // namespace stoker
