#include "base/words.hpp"

#include <gtest/gtest.h>

#include "base/quantile.hpp"

namespace stoker {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Words, TrimmedLosesBlanksAtBothEnds) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \r\n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \ta ", " "), "\ta");
}

TEST(Words, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(Quantile, IsAValueThatIsThere) {
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Quantile, TheMedianOfAnEvenNumberIsTheUpperMiddle) {
  EXPECT_EQ(upper_median({4, 1, 3, 2}), 3);
  EXPECT_EQ(upper_median({2, 3, 1}), 2);
  EXPECT_EQ(upper_median({}), 0);
}

}  // namespace
}  // namespace stoker
