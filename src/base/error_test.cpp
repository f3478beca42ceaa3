#include <gtest/gtest.h>

#include "base/result.hpp"

namespace stoker {
namespace {

TEST(Error, TellsOperationObjectFoundAllowedAndNextStep) {
  const Error error(ErrorCode::corrupt_data, {.operation = "read record",
                                              .object = "a.rec at 12",
                                              .found = "magic 0x0",
                                              .allowed = "0xced7230a",
                                              .next_step = "run `stoker verify a.rec`"});
  EXPECT_STREQ(error.what(),
               "read record a.rec at 12: magic 0x0; allowed: 0xced7230a; run `stoker verify a.rec`");
  EXPECT_EQ(to_string(error.code()), "corrupt_data");
}

TEST(Error, LeavesEmptyPartsOut) {
  EXPECT_STREQ(Error(ErrorCode::io, {.operation = "open", .object = "x"}).what(), "open x");
  EXPECT_STREQ(Error(ErrorCode::io, {.found = "no space"}).what(), "no space");
}

TEST(Result, ThrowsItsErrorAtTheDoor) {
  Result<int> good = 3, bad = fail(ErrorCode::not_found, {.object = "x"});
  EXPECT_EQ(value_or_throw(std::move(good)), 3);
  EXPECT_THROW(value_or_throw(std::move(bad)), Error);
}

}  // namespace
}  // namespace stoker
