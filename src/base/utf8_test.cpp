#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(Utf8, TakesCharactersOfEverySize) {
  EXPECT_EQ(utf8_character_bytes("a\xff"), 1u);
  EXPECT_EQ(utf8_character_bytes("\xc3\xbc!"), 2u);
  EXPECT_EQ(utf8_character_bytes("\xe6\x97\xa5"), 3u);
  EXPECT_EQ(utf8_character_bytes("\xf0\x9f\x90\x8c"), 4u);
  EXPECT_TRUE(is_utf8("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\x8c"));
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
}

TEST(Utf8, LimitsOfEverySize) {
  for (const char* text : {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text : {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Utf8, WhatIsCutShortIsNone) {
  for (const char* text : {"\xc3", "\xe6\x97", "\xf0\x9f\x90", "\xc3z", "\xe6\x97z", "caf\xe9"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace stoker
