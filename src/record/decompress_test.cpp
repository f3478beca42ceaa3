// Streams that are whole, cut, damaged, and several.
#include "record/decompress.hpp"

#include "record/compress_fixture.hpp"
#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

class Decompress : public testing::TestWithParam<Compression> {
 protected:
  static std::string packed(std::string_view text) {
    return GetParam() == Compression::gzip ? gzip_of(text) : zstd_of(text);
  }
  std::optional<Damage> unpack(std::string_view bytes) {
    text_.clear();
    const auto file = open_store(".")->open_read(folder_.write("packed", bytes));
    return decompress(GetParam(), *file, [this](std::span<const std::byte> run) {
      text_ += text_of(run);
      return true;
    });
  }
  static std::string long_text() {
    std::string text;
    for (int i = 0; text.size() < 3'000'000; ++i) text += "line " + std::to_string(i * 7919) + '\n';
    return text;
  }

  test::TempDir folder_;
  std::string text_;
};

TEST_P(Decompress, GivesTheBytesBack) {
  for (const std::string& text : {std::string(), std::string("short"), long_text()}) {
    EXPECT_FALSE(unpack(packed(text)));
    EXPECT_TRUE(text_ == text);
  }
}

TEST_P(Decompress, TakesMembersOneBehindAnother) {
  EXPECT_FALSE(unpack(packed("one ") + packed("") + packed("two")));
  EXPECT_EQ(text_, "one two");
}

TEST_P(Decompress, CutStreamsSayWhereTheyEnd) {
  const std::string whole = packed(long_text());
  for (const std::size_t bytes : {std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    const auto damage = unpack(whole.substr(0, bytes));
    ASSERT_TRUE(damage) << bytes;
    EXPECT_EQ(damage->offset, bytes);
    EXPECT_THAT(damage->reason, testing::HasSubstr("ends early"));
  }
}

TEST_P(Decompress, DamagedStreamsSayWhere) {
  std::string whole = packed(long_text());
  const std::size_t at = whole.size() / 2;
  for (std::size_t i = at; i < at + 40; ++i) whole[i] = static_cast<char>(i * 37);
  const auto damage = unpack(whole);
  ASSERT_TRUE(damage);
  EXPECT_THAT(damage->reason, testing::HasSubstr("damaged"));
  EXPECT_GT(damage->offset, 0u);
  EXPECT_LE(damage->offset, whole.size());
}

TEST_P(Decompress, StopsWhenTheSinkHasEnough) {
  const auto file = open_store(".")->open_read(folder_.write("packed", packed(long_text())));
  int calls = 0;
  EXPECT_FALSE(decompress(GetParam(), *file, [&](std::span<const std::byte>) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

TEST_P(Decompress, ForeignBytesAreDamage) {
  EXPECT_TRUE(unpack("neither of the two formats"));
  EXPECT_TRUE(unpack(packed("one") + "something else"));
  EXPECT_EQ(text_, "one");
}

INSTANTIATE_TEST_SUITE_P(Both, Decompress, testing::Values(Compression::gzip, Compression::zstd),
                         [](const auto& param) { return std::string(to_string(param.param)); });

class Gunzip : public Decompress {};

TEST_P(Gunzip, ZeroBytesBehindTheEndArePadding) {
  EXPECT_FALSE(unpack(packed("one") + std::string(1'000'000, '\0')));
  EXPECT_EQ(text_, "one");
  const auto damage = unpack(packed("one") + std::string(700'000, '\0') + "x");
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->offset, packed("one").size());
}

TEST_P(Gunzip, ACheckSumThatDoesNotFitIsDamage) {
  std::string whole = packed("some text");
  whole[whole.size() - 6] = static_cast<char>(whole[whole.size() - 6] ^ 1);
  EXPECT_TRUE(unpack(whole));
}

INSTANTIATE_TEST_SUITE_P(Alone, Gunzip, testing::Values(Compression::gzip));

}  // namespace
}  // namespace stoker::record
