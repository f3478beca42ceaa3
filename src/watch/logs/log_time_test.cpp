#include "watch/logs/log_time.hpp"

#include <gtest/gtest.h>

namespace stoker::watch {
namespace {

// date -u -d '2024-11-23 12:23:29' +%s
constexpr double kThen = 1732364609;

TEST(LogTime, DatesAndClocks) {
  for (const char* text :
       {"2024/11/23 12:23:29", "2024-11-23 12:23:29", "2024-11-23T12:23:29Z", "2024-11-23T12:23:29",
        "20241123 12:23:29", "11/23/2024 12:23:29", "23.11.2024 12:23:29", "11-23-2024 12:23:29",
        "Sat Nov 23 12:23:29 2024", "Sat Nov 23 12:23:29 UTC 2024", "Sat 23 Nov 2024 12:23:29 PM UTC",
        "Sat Nov 23 12:23:29 PM CET 2024", "2024-11-23T14:23:29+02:00", "2024-11-23T07:23:29-0500",
        "2024-11-23 15:53:29+03:30"}) {
    const auto time = parse_log_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->kind, TimeKind::wall) << text;
    EXPECT_EQ(time->seconds, kThen) << text;
  }
}

TEST(LogTime, PartsOfASecond) {
  EXPECT_NEAR(parse_log_time("2024/11/23 12:23:29.950")->seconds, kThen + 0.95, 1e-6);
  EXPECT_NEAR(parse_log_time("2024-11-23T12:23:29.123456789Z")->seconds, kThen + 0.123456789, 1e-6);
  EXPECT_NEAR(parse_log_time("2024-11-23 12:23:29,5")->seconds, kThen + 0.5, 1e-6);
}

TEST(LogTime, NumbersAreTheEpochByTheirSizeOrSecondsThatPassed) {
  EXPECT_EQ(parse_log_time("1732364609"), (LogTime{kThen, TimeKind::wall}));
  EXPECT_EQ(parse_log_time(" 1732364609.5 "), (LogTime{kThen + 0.5, TimeKind::wall}));
  EXPECT_EQ(parse_log_time("1732364609000"), (LogTime{kThen, TimeKind::wall}));
  EXPECT_EQ(parse_log_time("1732364609000000"), (LogTime{kThen, TimeKind::wall}));
  EXPECT_EQ(parse_log_time("1732364609000000000"), (LogTime{kThen, TimeKind::wall}));
  EXPECT_EQ(parse_log_time("0.08"), (LogTime{0.08, TimeKind::elapsed}));
}

TEST(LogTime, AClockAloneIsATimeOfDay) {
  EXPECT_EQ(parse_log_time("21:36:47"), (LogTime{77807, TimeKind::time_of_day}));
  EXPECT_EQ(parse_log_time("9:05"), (LogTime{32700, TimeKind::time_of_day}));
}

TEST(LogTime, HalvesOfTheDay) {
  EXPECT_EQ(parse_log_time("12:05:00 AM")->seconds, 300);
  EXPECT_EQ(parse_log_time("1:05:00 pm")->seconds, 47100);
}

TEST(LogTime, WhatIsNone) {
  for (const char* text : {"",
                           " ",
                           "-1",
                           "nan",
                           "inf",
                           "1e300",
                           "92 %",
                           "[N/A]",
                           "25:00:00",
                           "12:60:00",
                           "12:5x",
                           "2024/13/01 12:00:00",
                           "2024/02/30 12:00:00",
                           "2024/11/23",
                           "1024/11/23 12:00:00",
                           "GPU 0000:3B:00.0: GPU is lost",
                           "Nov 23 12:23:29",
                           "12:00:00 13:00:00",
                           "0x10",
                           "99999999999999999999999999999 12:00:00",
                           "2024/11/23 12:23:29.950 and more words"})
    EXPECT_FALSE(parse_log_time(text)) << text;
}

}  // namespace
}  // namespace stoker::watch
