#include "watch/linux/proc_text.hpp"

#include <gtest/gtest.h>

namespace stoker::watch {
namespace {

constexpr std::string_view kBehindName =
    " S 41 7 7 0 -1 4194560 1 2 3 4 150 50 5 6 20 0 3 0 8100 900000 25 18446744073709551615 1 2 3 4 5 6 7 8 "
    "9 0 0 0 17 "
    "1 0 0 12 0 0 0\n";

std::string stat_of(std::string_view name) {
  return "42 (" + std::string(name) + ")" + std::string(kBehindName);
}

TEST(ParseStat, ReadsEveryMember) {
  const std::string text = stat_of("python");
  const auto stat = parse_stat(text);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "python");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 41);
  EXPECT_EQ(stat->user_ticks, 150U);
  EXPECT_EQ(stat->system_ticks, 50U);
  EXPECT_EQ(stat->threads, 3);
  EXPECT_EQ(stat->start_ticks, 8100U);
  EXPECT_EQ(stat->resident_pages, 25U);
  EXPECT_EQ(stat->block_io_ticks, 12U);
}

TEST(ParseStat, NamesMayHoldAnything) {
  for (const char* name : {"a b", ") R 1 (", "((", "", ") S 9 9 9", "x\ny"}) {
    const std::string text = stat_of(name);
    const auto stat = parse_stat(text);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->parent, 41) << name;
  }
}

TEST(ParseStat, RefusesWhatIsCut) {
  const std::string text = stat_of("python");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, std::size_t{9}, std::size_t{30}, std::size_t{60}}) {
    EXPECT_FALSE(parse_stat(std::string_view(text).substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_stat(")("));
  EXPECT_FALSE(parse_stat("1 (x) SS 1"));
}

TEST(ParseSchedstat, ReadsSecondsAndKnowsWhenItIsOff) {
  const auto times = parse_schedstat("1500000000 250000000 12\n");
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->cpu_s, 1.5);
  EXPECT_DOUBLE_EQ(times->run_delay_s, 0.25);
  EXPECT_FALSE(parse_schedstat("0 0 0\n"));
  EXPECT_FALSE(parse_schedstat("12 x 4"));
  EXPECT_FALSE(parse_schedstat(""));
}

TEST(ParseIo, ReadsTheFieldsByName) {
  const auto io = parse_io(
      "rchar: 100\nwchar: 50\nsyscr: 7\nsyscw: 3\nread_bytes: 4096\nwrite_bytes: 512\ncancelled_write_bytes: "
      "9\n");
  ASSERT_TRUE(io);
  EXPECT_EQ(*io, (ProcessIo{100, 7, 4096, 50, 512}));
  EXPECT_FALSE(parse_io("rchar: 100\n"));
}

TEST(ParsePressure, TakesTotals) {
  const auto pressure = parse_pressure(
      "some avg10=0.72 avg60=0.36 avg300=1.03 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
      "total=1000000\n");
  ASSERT_TRUE(pressure);
  EXPECT_DOUBLE_EQ(pressure->some_s, 2.5);
  EXPECT_DOUBLE_EQ(pressure->full_s, 1);
  EXPECT_DOUBLE_EQ(parse_pressure("some avg10=0 avg60=0 avg300=0 total=7000000\n")->full_s, 0);
  EXPECT_FALSE(parse_pressure("some avg10=0.72\n"));
  EXPECT_FALSE(parse_pressure(""));
}

TEST(ParseCpuTimes, NiceIsUserAndInterruptsAreSystem) {
  const CpuTimes times = parse_cpu_times(" 100 10 20 1000 30 1 2 40 0 0", 100);
  EXPECT_DOUBLE_EQ(times.user_s, 1.1);
  EXPECT_DOUBLE_EQ(times.system_s, 0.23);
  EXPECT_DOUBLE_EQ(times.idle_s, 10);
  EXPECT_DOUBLE_EQ(times.iowait_s, 0.3);
  EXPECT_DOUBLE_EQ(times.steal_s, 0.4);
}

TEST(CountCpus, ReadsLists) {
  EXPECT_EQ(count_cpus("0-3,8\n"), 5);
  EXPECT_EQ(count_cpus("7"), 1);
  EXPECT_FALSE(count_cpus("\n"));
  EXPECT_FALSE(count_cpus("3-1"));
  EXPECT_FALSE(count_cpus("0-99999999999"));
  EXPECT_FALSE(count_cpus("0,,2"));
}

TEST(ParseSyscall, TellsRunningBlockedAndFaulting) {
  EXPECT_TRUE(parse_syscall("running\n")->running);
  const auto fault = parse_syscall("-1 0x7ffe 0x7f00\n");
  ASSERT_TRUE(fault);
  EXPECT_FALSE(fault->running);
  EXPECT_EQ(fault->number, -1);
  const auto call = parse_syscall("7 0x7f01 0x1 0x1388 0x0 0x5 0xffffffffffffffff 0x7ffe 0x7f00\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, 7);
  EXPECT_EQ(call->arguments[2], 5000U);
  EXPECT_EQ(call->arguments[5], 0xffffffffffffffffU);
  EXPECT_FALSE(parse_syscall(""));
  EXPECT_FALSE(parse_syscall("7 0x1 0x2"));
  EXPECT_FALSE(parse_syscall("seven 0x1"));
}

TEST(ValueOf, MatchesWholeKeysOnly) {
  constexpr std::string_view kText = "MemTotalX: 1\nMemTotal:  77 kB\nnr_throttled 5\nEmpty:\n";
  EXPECT_EQ(number_of(kText, "MemTotal"), 77U);
  EXPECT_EQ(number_of(kText, "nr_throttled"), 5U);
  EXPECT_EQ(value_of(kText, "Empty"), "");
  EXPECT_FALSE(value_of(kText, "nr"));
}

}  // namespace
}  // namespace stoker::watch
