#include "pack/shard_plan.hpp"

#include <gmock/gmock.h>

namespace stoker::packing {
namespace {

using testing::ElementsAre;

TEST(ShardPlan, NumbersAreSharedEvenly) {
  EXPECT_THAT(cuts_by_number(10, 3), ElementsAre(0, 4, 7, 10));
  EXPECT_THAT(cuts_by_number(2, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(cuts_by_number(0, 5), ElementsAre(0, 0));
  EXPECT_THAT(cuts_by_number(7, 1), ElementsAre(0, 7));
  const std::vector<std::uint64_t> large = cuts_by_number(~std::uint64_t{0}, 7);
  EXPECT_EQ(large.back(), ~std::uint64_t{0});
  EXPECT_TRUE(std::is_sorted(large.begin(), large.end()));
}

TEST(ShardPlan, SizesCutBeforeTheSampleThatIsTooMuch) {
  SizeCutter cutter(100);
  for (const double bytes : {60.0, 40.0, 1.0, 300.0, 50.0, 50.0, 50.0}) cutter.add(bytes);
  EXPECT_THAT(cutter.cuts(), ElementsAre(0, 2, 3, 4, 6, 7));
  EXPECT_THAT(SizeCutter(100).cuts(), ElementsAre(0, 0));
}

TEST(ShardPlan, NamesAreThoseOfASetOrOfOneFile) {
  ShardPlan plan{.stem = "train", .ending = ".tar", .cuts = cuts_by_number(10, 1)};
  EXPECT_EQ(plan.relative_path(0), "train.tar");
  plan.numbered = true;
  EXPECT_EQ(plan.relative_path(0), "train-000000.tar");
  plan.cuts = cuts_by_number(5'000, 2'500);
  EXPECT_EQ(plan.relative_path(0), "train-000/train-000000.tar");
  EXPECT_EQ(plan.relative_path(2'499), "train-002/train-002499.tar");
}

TEST(ShardPlan, PartsShareTheShardsWithoutGap) {
  ShardPlan plan{.cuts = cuts_by_number(100, 10)};
  for (const std::uint64_t parts : {1, 3, 7, 16}) {
    std::uint64_t next = 0;
    for (std::uint64_t part = 0; part < parts; ++part) {
      const ShardRange mine = plan.shards_of({part, parts});
      EXPECT_EQ(mine.first, next);
      next = mine.end;
    }
    EXPECT_EQ(next, 10u);
  }
}

}  // namespace
}  // namespace stoker::packing
