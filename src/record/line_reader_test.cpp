#include "record/line_reader.hpp"

#include <filesystem>

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  const test::TempDir folder;
  const auto file = open_store(".")->open_read(folder.write("x", text));
  LineReader reader(*file);
  std::vector<std::string> lines;
  while (const auto line = reader.next()) {
    lines.emplace_back(*line);
    EXPECT_EQ(reader.number(), lines.size());
  }
  return lines;
}

TEST(LineReader, EndsOfLines) {
  using testing::ElementsAre;
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a\nb\r\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of("a\n\n"), ElementsAre("a", ""));
  EXPECT_THAT(lines_of("a\rb\r"), ElementsAre("a\rb"));
}

TEST(LineReader, SkipsAByteOrderMark) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\nb"),
              testing::ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\n\xEF\xBB\xBF"
                       "b"),
              testing::ElementsAre("a",
                                   "\xEF\xBB\xBF"
                                   "b"));
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"), testing::ElementsAre());
}

TEST(LineReader, LinesAcrossTheBuffersEdge) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; text.size() < 3 * LineReader::kLongestLine; ++i) {
    expected.push_back(std::string(i * 37 % 20'011, static_cast<char>('a' + i % 26)));
    text += expected.back() + '\n';
  }
  EXPECT_TRUE(lines_of(text) == expected);
}

TEST(LineReader, LongestLine) {
  const std::string longest(LineReader::kLongestLine, 'x');
  EXPECT_TRUE(lines_of(longest + "\ny") == (std::vector<std::string>{longest, "y"}));
  EXPECT_TRUE(lines_of("y\n" + longest) == (std::vector<std::string>{"y", longest}));
  EXPECT_TRUE(says(error_of([&] { lines_of("a\n" + std::string(3 * LineReader::kLongestLine, 'x')); }),
                   ErrorCode::corrupt_data, {"line 2", "more than 1 MiB"}));
}

TEST(LineReader, FileThatIsCutWhileItIsReadIsNoShorterList) {
  const test::TempDir folder;
  folder.write("x", "0\t1\ta.jpg\n1\t1\tb.jpg\n");
  const auto file = open_store(".")->open_read(folder.path("x"));
  LineReader lines(*file);
  std::filesystem::resize_file(folder.path("x"), 10);
  EXPECT_TRUE(says(error_of([&] { lines.next(); }), ErrorCode::corrupt_data,
                   {folder.path("x"), "10 of its 20 bytes"}));
}

}  // namespace
}  // namespace stoker::record
