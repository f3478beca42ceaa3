#include "base/units.hpp"

#include <gtest/gtest.h>

namespace stoker {
namespace {

TEST(Units, CountsTakeDecimalAndBinaryPrefixes) {
  EXPECT_EQ(parse_count("64MiB").value(), 64u << 20);
  EXPECT_EQ(parse_count("256M").value(), 256'000'000u);
  EXPECT_EQ(parse_count("1.5Ki").value(), 1536u);
  EXPECT_EQ(parse_count("12").value(), 12u);
  for (const char* wrong : {"", "MiB", "-1", "1.5", "12Q", "12 MiB", "1e300", "nan", "64MiBB"})
    EXPECT_EQ(parse_count(wrong).error().code(), ErrorCode::invalid_argument) << wrong;
}

TEST(Units, Durations) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_duration("200ms").value(), 200ms);
  EXPECT_EQ(parse_duration("10m").value(), 10min);
  EXPECT_EQ(parse_duration("1.5").value(), 1500ms);
  EXPECT_FALSE(parse_duration("5 parsecs"));
  EXPECT_FALSE(parse_duration("1e300d"));
}

TEST(Units, Ranges) {
  EXPECT_EQ(parse_range("0.08..1").value(), std::pair(0.08, 1.0));
  EXPECT_EQ(parse_range("0..15").value(), std::pair(0.0, 15.0));
  for (const char* wrong : {"1", "1..", "..1", "2..1", "a..b", "1...2"})
    EXPECT_FALSE(parse_range(wrong)) << wrong;
}

TEST(Units, FormatsForPeople) {
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(110u << 20), "110 MiB");
  EXPECT_EQ(format_duration(42.4), "42 s");
  EXPECT_EQ(format_duration(3725), "1h 02m");
  EXPECT_EQ(format_duration(-1), "unknown");
  EXPECT_EQ(format_number(0.08), "0.08");
}

TEST(Units, NearestNameFindsTyposAndNothingFar) {
  static constexpr std::string_view kNames[] = {"batch-size", "num-epochs", "seed"};
  EXPECT_EQ(nearest_name("batchsize", kNames), "batch-size");
  EXPECT_EQ(nearest_name("num-epoch", kNames), "num-epochs");
  EXPECT_EQ(nearest_name("zzzzzz", kNames), "");
}

}  // namespace
}  // namespace stoker
