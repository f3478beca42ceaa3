#include "record/brace_expansion.hpp"

#include "record/record_fixture.hpp"

namespace stoker::record {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(std::string_view text) { return value_or_throw(expand_braces(text, 1000)); }
Error refusal(std::string_view text) { return expand_braces(text, 1000).error(); }

TEST(BraceExpansion, RangesCountAndKeepTheirZeros) {
  EXPECT_THAT(names("s/{000008..000011}.tar"),
              ElementsAre("s/000008.tar", "s/000009.tar", "s/000010.tar", "s/000011.tar"));
  EXPECT_THAT(names("{8..11}"), ElementsAre("8", "9", "10", "11"));
  EXPECT_THAT(names("{08..11}"), ElementsAre("08", "09", "10", "11"));
  EXPECT_THAT(names("{0..2}"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(names("x{5..5}"), ElementsAre("x5"));
}

TEST(BraceExpansion, ListsKeepTheirOrderAndMayHoldBraces) {
  EXPECT_THAT(names("{b,a}.rec"), ElementsAre("b.rec", "a.rec"));
  EXPECT_THAT(names("{a,b}-{0..1}"), ElementsAre("a-0", "a-1", "b-0", "b-1"));
  EXPECT_THAT(names("{train-{0..1},val}.tar"), ElementsAre("train-0.tar", "train-1.tar", "val.tar"));
  EXPECT_THAT(names("x{,-2}.rec"), ElementsAre("x.rec", "x-2.rec"));
}

TEST(BraceExpansion, OtherBracesAreLetters) {
  for (const char* text : {"plain", "{}", "{abc}", "{a", "b}", "{1..x}", "{..}", "a{b{c", "{-1..2}"})
    EXPECT_THAT(names(text), ElementsAre(text));
  EXPECT_THAT(names("{a}{b,c}"), ElementsAre("{a}b", "{a}c"));
}

TEST(BraceExpansion, TooManyNamesAreRefusedBeforeTheyAreMade) {
  EXPECT_THAT(names("{1..1000}"), testing::SizeIs(1000));
  for (const char* text :
       {"{0..1000}", "{0..18446744073709551615}", "{1..100}{1..100}", "{{1..600},{1..600}}"})
    EXPECT_TRUE(says(refusal(text), ErrorCode::invalid_argument, {text, "at most 1000"}));
  EXPECT_TRUE(says(refusal("{7..0}"), ErrorCode::invalid_argument, {"{7..0}", "rises"}));
  std::string deep;
  for (int i = 0; i < 100; ++i) deep = "{" + deep + ",b}";
  EXPECT_TRUE(says(refusal(deep), ErrorCode::invalid_argument, {"32 deep"}));
}

TEST(Wildcards, MatchWholeNames) {
  EXPECT_TRUE(matches_wildcard("train-0001.tar", "train-*.tar"));
  EXPECT_TRUE(matches_wildcard("train-0001.tar", "*"));
  EXPECT_TRUE(matches_wildcard("train-0001.tar", "*-????.tar"));
  EXPECT_TRUE(matches_wildcard("aXbXc", "a*b*c"));
  EXPECT_TRUE(matches_wildcard("abab", "*ab"));
  EXPECT_TRUE(matches_wildcard("\xc3\xa4.rec", "?.rec"));
  EXPECT_FALSE(matches_wildcard("train-0001.tar.gz", "train-*.tar"));
  EXPECT_FALSE(matches_wildcard("train-001.tar", "*-????.tar"));
  EXPECT_FALSE(matches_wildcard("", "?"));
  EXPECT_TRUE(matches_wildcard("", "**"));
  // A backtracking matcher would take for ever.
  EXPECT_FALSE(matches_wildcard(std::string(5000, 'a'), "*a*a*a*a*a*a*a*a*b"));
}

}  // namespace
}  // namespace stoker::record
