#include "base/csv.hpp"

#include <gtest/gtest.h>

namespace stoker {
namespace {

using Record = std::vector<std::string>;

std::vector<Record> records_of(std::string_view text, char separator = ',') {
  CsvReader reader(text, separator);
  std::vector<Record> records;
  for (Record record; reader.next(record);) records.push_back(record);
  return records;
}

TEST(Csv, FieldsLoseTheBlanksAroundThem) {
  EXPECT_EQ(records_of("a, b ,\tc\r\n1,,3\n"), (std::vector<Record>{{"a", "b", "c"}, {"1", "", "3"}}));
}

TEST(Csv, QuotedFieldsHoldSeparatorsNewlinesAndQuotes) {
  EXPECT_EQ(records_of("1,\"26.11\n0\",x\n2, \"a,\"\"b\"\"\" ,y\n"),
            (std::vector<Record>{{"1", "26.11\n0", "x"}, {"2", "a,\"b\"", "y"}}));
}

TEST(Csv, TheLastRecordNeedsNoNewline) {
  EXPECT_EQ(records_of("a,b\nc,"), (std::vector<Record>{{"a", "b"}, {"c", ""}}));
}

TEST(Csv, BlankLinesArePassedOver) {
  EXPECT_EQ(records_of("\n \na\n\n\r\nb\n"), (std::vector<Record>{{"a"}, {"b"}}));
}

TEST(Csv, AQuoteThatIsNeverClosedIsACharacter) {
  EXPECT_EQ(records_of("a,\"b\nc,\"d\n"), (std::vector<Record>{{"a", "b\nc,d"}}));
  EXPECT_EQ(records_of("a,\"b\nc,d\n"), (std::vector<Record>{{"a", "\"b"}, {"c", "d"}}));
}

TEST(Csv, AQuoteWithinAFieldIsACharacter) {
  EXPECT_EQ(records_of("5\" disk,x\n"), (std::vector<Record>{{"5\" disk", "x"}}));
}

TEST(Csv, OtherSeparators) {
  EXPECT_EQ(records_of("a;b,5;c\n", ';'), (std::vector<Record>{{"a", "b,5", "c"}}));
  EXPECT_EQ(records_of("a\t\tc\n", '\t'), (std::vector<Record>{{"a", "", "c"}}));
}

TEST(Csv, LinesAreCountedThroughQuotedNewlines) {
  CsvReader reader("a\n\n\"b\nb\"\nc\n");
  Record record;
  std::vector<std::size_t> lines;
  while (reader.next(record)) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 3, 5}));
}

// Each line begins a quote that the next one closes or that none does: the work stays linear.
TEST(Csv, ManyUnclosedQuotes) {
  std::string text;
  for (int i = 0; i < 200001; ++i) text += "\"\"\"\n";
  EXPECT_EQ(records_of(text).size(), 200001u / 2 + 1);
}

}  // namespace
}  // namespace stoker
