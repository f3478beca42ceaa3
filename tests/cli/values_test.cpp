#include "cli/values.hpp"

#include <functional>
#include <gtest/gtest.h>

namespace stoker::cli {
namespace {

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Values, IntegersAreWholeAndInRange) {
  EXPECT_EQ(parse_integer("90", {.low = 1, .high = 100}), 90);
  EXPECT_EQ(parse_integer("-3", {}), -3);
  for (const char* text : {"", " 9", "9 ", "0x9", "9.0", "1e1", "99999999999999999999"})
    EXPECT_THROW(parse_integer(text, {}), UsageError) << text;
  EXPECT_EQ(failure_of([] { parse_integer("0", {.low = 1}); }), "'0': allowed: a whole number of at least 1");
}

TEST(Values, RealsMayExcludeTheirLowEnd) {
  const Range above_zero{.low = 0, .high = 10, .low_open = true};
  EXPECT_DOUBLE_EQ(parse_real("0.1", above_zero), 0.1);
  EXPECT_THROW(parse_real("0", above_zero), UsageError);
  EXPECT_THROW(parse_real("inf", {}), UsageError);
  EXPECT_EQ(describe(above_zero, false), "a number above 0, at most 10");
}

TEST(Values, SizesSuggestTheUnitThatWasMeant) {
  EXPECT_EQ(parse_size("256M", 1), 256'000'000U);
  EXPECT_EQ(parse_size("64MiB", 1), std::uint64_t{64} << 20);
  EXPECT_NE(failure_of([] { parse_size("64mib", 1); }).find("did you mean '64MiB'"), std::string::npos);
  EXPECT_NE(failure_of([] { parse_size("64 MB", 1); }).find("did you mean '64MB'"), std::string::npos);
  EXPECT_EQ(failure_of([] { parse_size("much", 1); }).find("did you mean"), std::string::npos);
  EXPECT_THROW(parse_size("0", 1), UsageError);
  for (const char* far : {"0", "2T", "99999999T", "0.5"})
    EXPECT_EQ(failure_of([&] { parse_size(far, 1, 1'000'000'000'000); }),
              "'" + std::string(far) + "': allowed: a whole number in 1..1T");
  EXPECT_EQ(spelled_count(256'000'000), "256M");
  EXPECT_EQ(spelled_count(1001), "1001");
}

TEST(Values, ANameThatHoldsTheTextIsNearerThanAFewEdits) {
  const std::array<std::string_view, 3> names{"--epoch-ms", "--num-epochs", "--mom"};
  EXPECT_EQ(nearest_spelling("--epochs", names), "--num-epochs");
  EXPECT_EQ(nearest_spelling("--om", names), "--mom") << "two letters are too few to search for";
}

TEST(Values, DurationsAndThreads) {
  EXPECT_DOUBLE_EQ(parse_seconds("200ms"), 0.2);
  EXPECT_DOUBLE_EQ(parse_seconds("10"), 10);
  EXPECT_NE(failure_of([] { parse_seconds("3sec"); }).find("3s"), std::string::npos);
  EXPECT_EQ(parse_threads("auto"), 0);
  EXPECT_EQ(parse_threads("7"), 7);
  EXPECT_EQ(parse_thread_list("1,2,auto"), (std::vector<int>{1, 2, 0}));
  EXPECT_THROW(parse_threads("1025"), UsageError);
  EXPECT_THROW(parse_thread_list(""), UsageError);
}

TEST(Values, ImageShapes) {
  const Size size = parse_image_shape("3,48,64");
  EXPECT_EQ(size.height, 48);
  EXPECT_EQ(size.width, 64);
  for (const char* text : {"", "3", "3,64", "3,64,64,1", "3,0,64", "3,64,99999", "3x64x64", "3,64,-1"})
    EXPECT_THROW(parse_image_shape(text), UsageError) << text;
}

TEST(Values, SeedsReachTheLastBit) {
  EXPECT_EQ(parse_unsigned("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_THROW(parse_unsigned("18446744073709551616"), UsageError);
}

}  // namespace
}  // namespace stoker::cli
