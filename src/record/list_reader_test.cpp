#include "record/list_reader.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

using testing::ElementsAre;

std::string parsed(std::string_view text) {
  ListLine line;
  if (const auto result = parse_list_line(text, line); !result)
    return "error: " + result.error().parts().found;
  std::string told = std::to_string(line.id) + " |";
  for (const float label : line.labels) told += " " + std::to_string(label).substr(0, 5);
  return told + " | " + std::string(line.path);
}

TEST(ListLine, Tabs) {
  EXPECT_EQ(parsed("7\t1\ta/b.jpg"), "7 | 1.000 | a/b.jpg");
  EXPECT_EQ(parsed("7\t1\ta b c.jpg"), "7 | 1.000 | a b c.jpg");
  EXPECT_EQ(parsed("7\t1\t3 a.jpg"), "7 | 1.000 | 3 a.jpg");
  EXPECT_EQ(parsed("7\t1\t2.5\t-3\ta.jpg"), "7 | 1.000 2.500 -3.00 | a.jpg");
  EXPECT_EQ(parsed("18446744073709551615\t1e+06\ta"), "18446744073709551615 | 10000 | a");
  EXPECT_EQ(parsed(" 7 \t +1 \t a "), "7 | 1.000 |  a ");
}

TEST(ListLine, Blanks) {
  EXPECT_EQ(parsed("7 1 a/b.jpg"), "7 | 1.000 | a/b.jpg");
  EXPECT_EQ(parsed("  7   1  a b c.jpg  "), "7 | 1.000 | a b c.jpg");
  EXPECT_EQ(parsed("7 1 2.5 -3 a.jpg"), "7 | 1.000 2.500 -3.00 | a.jpg");
  EXPECT_EQ(parsed("7 1 42"), "7 | 1.000 | 42");  // the last word is the path
  EXPECT_EQ(parsed("7 1\ta b.jpg"), "7 | 1.000 | a b.jpg");
}

TEST(ListLine, WhatDoesNotParse) {
  EXPECT_EQ(parsed("7\ta.jpg"), "error: no label between the id and the path");
  EXPECT_EQ(parsed("7"), "error: no label between the id and the path");
  EXPECT_EQ(parsed("7 a.jpg"), "error: no label between the id and the path");
  EXPECT_EQ(parsed("a.jpg\t1\t7"), "error: 'a.jpg' as the id (a whole number from 0)");
  EXPECT_EQ(parsed("-1\t1\ta"), "error: '-1' as the id (a whole number from 0)");
  EXPECT_EQ(parsed("1.5\t1\ta"), "error: '1.5' as the id (a whole number from 0)");
  EXPECT_EQ(parsed("99999999999999999999\t1\ta"),
            "error: '99999999999999999999' as the id (a whole number from 0)");
  EXPECT_EQ(parsed("7\tcat\ta.jpg"), "error: 'cat' as a label in column 2 (a number)");
  EXPECT_EQ(parsed("7\t1\t\ta.jpg"), "error: '' as a label in column 3 (a number)");
  EXPECT_EQ(parsed("7\tnan\ta.jpg"), "error: 'nan' as a label in column 2 (a number)");
  EXPECT_EQ(parsed("7\tinf\ta.jpg"), "error: 'inf' as a label in column 2 (a number)");
  EXPECT_EQ(parsed("7\t1e99\ta.jpg"), "error: '1e99' as a label in column 2 (a number)");
  EXPECT_EQ(parsed("7\t1\t"), "error: no path");
  EXPECT_EQ(parsed(std::string_view("7\t1\ta\0b", 8)), "error: a zero byte in the path");
}

class List : public testing::Test {
 protected:
  ListReader open(std::string_view lines, const std::string& root = "") {
    for (const char* file : {"a.jpg", "sub/b c.jpg", "other/a.jpg"})
      folder_.write(file, std::string("bytes of ") + file);
    return ListReader(open_store("."), folder_.write("x.lst", lines), root, {"cat", "dog"});
  }
  test::TempDir folder_;
};

TEST_F(List, GivesSamplesInTheListsOrder) {
  const ListReader reader = open("# made by hand\n20\t1\tsub/b c.jpg\r\n\n3\t0\ta.jpg\n20\t1\ta.jpg");
  EXPECT_THAT(payloads(reader), ElementsAre("bytes of sub/b c.jpg", "bytes of a.jpg", "bytes of a.jpg"));
  EXPECT_THAT(reader.known_labels(), ElementsAre(1, 0, 1));
  EXPECT_EQ(reader.known_id(0), 20u);
  EXPECT_EQ(reader.known_id(1), 3u);
  EXPECT_EQ(reader.known_id(2), 20u) << "ids may repeat";
  EXPECT_THAT(reader.classes(), ElementsAre("cat", "dog"));
  Sample sample;
  reader.read(0, sample);
  EXPECT_EQ(sample.key, "sub/b c.jpg");
  EXPECT_THAT(sample.labels, ElementsAre(1.0f));
  EXPECT_EQ(reader.info(0).container, folder_.path("sub/b c.jpg"));
}

TEST_F(List, SeveralLabelsOfAnyNumber) {
  const ListReader reader = open("0\t4\ta.jpg\n1\t1\t2\t3\ta.jpg\n2\t9\ta.jpg\n3\t5\t6\ta.jpg\n");
  EXPECT_THAT(reader.known_labels(), ElementsAre(4, 1, 9, 5));
  Sample sample;
  const std::vector<std::vector<float>> expected = {{4}, {1, 2, 3}, {9}, {5, 6}};
  for (std::size_t i = reader.size(); i-- > 0;) {
    reader.read(i, sample);
    EXPECT_EQ(sample.labels, expected[i]);
  }
}

TEST_F(List, RootTakesThePlaceOfTheListsFolder) {
  for (const std::string& root : {folder_.path("other"), folder_.path("other/")}) {
    const ListReader reader = open("0\t1\ta.jpg\n", root);
    EXPECT_THAT(payloads(reader), ElementsAre("bytes of other/a.jpg"));
  }
  const ListReader absolute = open("0\t1\t" + folder_.path("a.jpg") + "\n", folder_.path("other"));
  EXPECT_THAT(payloads(absolute), ElementsAre("bytes of a.jpg"));
}

TEST_F(List, BrokenLineIsNamed) {
  EXPECT_TRUE(says(error_of([&] { open("0\t1\ta.jpg\n\n# comment\n1\tb.jpg\n"); }),
                   ErrorCode::invalid_argument,
                   {folder_.path("x.lst"), "line 4", "no label", "tabs between"}));
}

TEST_F(List, NoSamplesIsAnError) {
  EXPECT_TRUE(says(error_of([&] { open("\n# nothing\n"); }), ErrorCode::invalid_argument, {"no samples"}));
}

TEST(ListPath, WhatThePackerEscapedIsUndone) {
  EXPECT_EQ(unescaped_path("a\\tb\\nc\\rd"), "a\tb\nc\rd");
  EXPECT_EQ(unescaped_path("a\\\\tb\\tc"), "a\\tb\tc");
  for (const char* as_it_is : {"plain.jpg", "a\\b.jpg", "a\\\\b.jpg", "a\\tb\\", "sub\\train\\x.jpg", ""})
    EXPECT_EQ(unescaped_path(as_it_is), std::nullopt) << as_it_is;
}

TEST_F(List, AnEscapedPathIsFoundAndABackslashOfANameStays) {
  folder_.write("tab\there.jpg", "with a tab");
  folder_.write("new\\name.jpg", "with a backslash");
  folder_.write("both\\table.jpg", "as written");
  folder_.write("both\table.jpg", "as escaped");
  const ListReader reader =
      open("0\t0\ttab\\there.jpg\n1\t1\tnew\\name.jpg\n2\t0\tboth\\table.jpg\n3\t0\tno\\there.jpg\n");
  const std::vector<std::string> keys = {"tab\there.jpg", "new\\name.jpg", "both\\table.jpg"};
  const std::vector<std::string> contents = {"with a tab", "with a backslash", "as written"};
  Sample sample;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    reader.read(i, sample);
    EXPECT_EQ(sample.key, keys[i]);
    EXPECT_EQ(text_of(sample.main()), contents[i]);
    EXPECT_EQ(reader.info(i).container, folder_.path(keys[i]));
  }
  EXPECT_TRUE(says(error_of([&] { reader.read(3, sample); }), ErrorCode::not_found, {"no\\there.jpg"}));
}

TEST_F(List, VanishedFileAndIndexBeyondTheEnd) {
  const ListReader reader = open("0\t1\tabsent.jpg\n");
  Sample sample;
  EXPECT_TRUE(says(error_of([&] { reader.read(0, sample); }), ErrorCode::not_found,
                   {"absent.jpg", "paths are looked up in " + folder_.path(), "--root"}));
  EXPECT_EQ(error_of([&] { reader.read(1, sample); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { reader.known_id(1); }).code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace stoker::record
