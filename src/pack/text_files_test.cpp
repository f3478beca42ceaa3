#include "pack/text_files.hpp"

#include <array>
#include <filesystem>
#include <gtest/gtest.h>

#include "record/list_reader.hpp"
#include "support/temp_dir.hpp"

namespace stoker::packing {
namespace {

TEST(TextFiles, AListLineHasIdLabelsAndKey) {
  const std::array<float, 3> labels{3, 0.25F, -1};
  EXPECT_EQ(list_line(7, labels, "cats/a b.jpg"), "7\t3\t0.25\t-1\tcats/a b.jpg\n");
  EXPECT_EQ(list_line(0, {}, "raw"), "0\t0\traw\n");
}

TEST(TextFiles, AKeyNeverBreaksItsLine) {
  const std::array<float, 1> label{1};
  EXPECT_EQ(list_line(1, label, "two\nlines\r\t.jpg"), "1\t1\ttwo\\nlines\\r\\t.jpg\n");
  EXPECT_EQ(list_line(1, label, "back\\t\t.jpg"), "1\t1\tback\\\\t\\t.jpg\n");
  EXPECT_EQ(list_line(1, label, "back\\t.jpg"), "1\t1\tback\\t.jpg\n") << "nothing to escape in it";
  for (const std::string key : {"a\tb", "a\\\nb\\", "\r\\t"}) {
    const std::string line = list_line(1, label, key);
    EXPECT_EQ(record::unescaped_path(std::string_view(line).substr(4, line.size() - 5)), key);
  }
  EXPECT_EQ(escape_field("a\tb\\c\nd"), "a\\tb\\\\c\\nd");
}

TEST(TextFiles, LabelsReadBackToTheSameFloat) {
  const std::array<float, 2> labels{0.1F, 16777216};
  EXPECT_EQ(list_line(0, labels, "k"), "0\t0.1\t16777216\tk\n");
}

TEST(TextFiles, SkippedSamplesAreATable) {
  EXPECT_EQ(skipped_line("a.jpg", "it is\tempty"), "a.jpg\tit is\\tempty\n");
  EXPECT_EQ(duplicate_line({7, 3}), "7\t3\n");
}

TEST(TextFiles, NothingAppearsBeforeTheCommit) {
  const test::TempDir dir;
  const std::string path = dir.path("x.lst");
  const auto store = open_store(path);
  {
    LineFile dropped(*store, path);
    dropped.add(std::string(1 << 20, 'x'));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  LineFile kept(*store, path);
  std::string expected;
  for (int i = 0; i < 50'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    kept.add(line);
    expected += line;
  }
  kept.commit();
  EXPECT_EQ(test::read_file(path), expected);
}

}  // namespace
}  // namespace stoker::packing
