#include "load/bad_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace stoker::load {
namespace {

using ::testing::HasSubstr;

Trouble trouble(std::uint64_t index) {
  return {.slot = 0,
          .index = index,
          .code = ErrorCode::corrupt_data,
          .record = {.container = "a.rec", .offset = 512, .key = "k7", .reason = "decode: no image"}};
}

TEST(BadSampleError, NamesContainerOffsetKeyAndReason) {
  const Error error = bad_sample_error(trouble(7));
  EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
  EXPECT_THAT(error.what(), HasSubstr("load sample 7 a.rec at offset 512 (key k7): decode: no image"));
  EXPECT_THAT(error.what(), HasSubstr("substitute"));
}

TEST(BadLedger, ListsEachSampleOnce) {
  BadLedger ledger(100, 1);
  ledger.add(10, {trouble(3), trouble(4)});
  ledger.add(10, {trouble(3)});  // the next epoch
  EXPECT_EQ(ledger.count(), 2U);
  EXPECT_EQ(ledger.records().size(), 2U);
}

TEST(BadLedger, ListsTheFirstThousandAndCountsAll) {
  BadLedger ledger(5000, 1);
  for (std::uint64_t i = 0; i < 1500; ++i) ledger.add(1, {trouble(i)});
  EXPECT_EQ(ledger.count(), 1500U);
  EXPECT_EQ(ledger.records().size(), 1000U);
}

TEST(BadLedger, JudgesOnlyFromAThousandSamplesOn) {
  BadLedger ledger(5000, 0.01);
  ledger.add(999, std::vector<Trouble>(11, trouble(1)));
  EXPECT_FALSE(ledger.too_many(false));
  ledger.add(1, {});
  const auto error = ledger.too_many(false);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::corrupt_data);
  EXPECT_THAT(error->what(), HasSubstr("11 of 1000 samples met are bad"));
  EXPECT_THAT(error->what(), HasSubstr("allowed: max_bad_share 0.01"));
  EXPECT_THAT(error->what(), HasSubstr("a.rec at offset 512"));
}

TEST(BadLedger, JudgesAtTheEndOfAnEpochHoweverSmall) {
  BadLedger ledger(10, 0.1);
  ledger.add(10, {trouble(1)});
  EXPECT_FALSE(ledger.too_many(true));  // just what is allowed
  ledger.add(9, {trouble(2)});
  EXPECT_TRUE(ledger.too_many(true));
}

TEST(BadLedger, NoneAllowedMeansNone) {
  BadLedger ledger(10, 0);
  EXPECT_FALSE(ledger.too_many(true));
  ledger.add(1, {trouble(1)});
  EXPECT_TRUE(ledger.too_many(true));
}

}  // namespace
}  // namespace stoker::load
