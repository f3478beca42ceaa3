#include "show/report_text.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "show/report_json.hpp"
#include "show/text.hpp"

namespace stoker::show {
namespace {

Report throttled() {
  Report report;
  report.verdict = Verdict::quota_throttled;
  report.summary =
      "The GPU is idle 46 % of the time because both workers are throttled by a CPU quota of 0.5 CPUs; "
      "without "
      "it about 2.1 times the images/s.";
  report.confidence = 0.9;
  report.causes = {"PCIe link at x8 of x16"};
  report.stall_share = 0.44;
  report.images_per_s = 400.0;
  report.seconds = 27.6;
  report.evidence = {{"quota periods throttled", 98.0, "%", "cpu.stat"},
                     {"waiting for storage", Reading<double>::unknown("needs root"), "%", "/proc/PID/io"}};
  Fix fix;
  fix.what = "raise the quota to 2 CPUs";
  fix.how = {{"docker", "docker update --cpus 2 NAME"}, {"Kubernetes", "resources.limits.cpu: 2"}};
  fix.predicted_gain = 1.1;
  fix.predicted_images_per_s = 840.0;
  fix.label = GainLabel::estimate;
  report.fixes = {fix};
  Fix pack;
  pack.what = "pack the data smaller";
  pack.how = {{"Stoker", "stoker pack photos train.rec --resize-short 256"}};
  pack.predicted_gain = 0.3;
  pack.label = GainLabel::up_to;
  report.fixes.push_back(pack);
  GpuSummary gpu;
  gpu.name = "NVIDIA A100-SXM4-80GB";
  gpu.util_mean = 54.2;
  gpu.below_10_share = 0.4;
  gpu.memory_used_bytes = std::uint64_t{12} << 30;
  gpu.memory_total_bytes = std::uint64_t{80} << 30;
  report.gpus = {gpu};
  report.cpu.allowed = 0.5;
  report.cpu.limited_by = "cgroup quota /train";
  report.cpu.online = 2.0;
  report.cpu.training = 0.5;
  report.cpu.workers = 2;
  report.cpu.workers_on_cpu = 0.2;
  report.io.read_chars_per_s = 21e6;
  report.io.read_bytes_per_s = 0.0;
  report.unknown = {{"SM activity", "needs Hopper or later"}};
  return report;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The page at a glance; a change of the layout changes this text.
constexpr const char* kPage =
    R"(python train.py (pid 4711), 28 s watched; confidence: high
throttled by a CPU quota (quota_throttled)
The GPU is idle 46 % of the time because both workers are throttled by a CPU
quota of 0.5 CPUs; without it about 2.1 times the images/s.
also: PCIe link at x8 of x16

GPU  name                util %  <10 %  >=90 %  SM %   GiB    of  W  of  period
  0  NVIDIA A100-SXM4-8      54     40       -     -  12.0  80.0  -   -       -

cpus  0.5 may be used of 2 (cgroup quota /train); the training uses 0.5, others
      -
work  2 workers: 20 % on a CPU, - waiting for one, - in I/O, - idle
i/o   21 MB/s read, 0 MB/s of it from devices
seen  quota periods throttled 98 %

What would help
1  raise the quota to 2 CPUs: +110 %, 840 images/s
     docker: docker update --cpus 2 NAME
2  pack the data smaller: up to +30 %
     Stoker: stoker pack photos train.rec --resize-short 256

?     not known: SM activity (needs Hopper or later)
)";

TEST(ReportText, IsAScreenful) {
  EXPECT_EQ(joined(report_text(throttled(), "python train.py (pid 4711)")), kPage);
}

TEST(ReportText, KeepsWithinTheColumns) {
  Report report = throttled();
  report.summary += std::string(" ") + std::string(60, 'w') + " and some more words to wrap";
  for (const std::size_t columns : {60U, 80U, 120U}) {
    for (const std::string& line : report_text(report, "a", {.columns = columns, .colours = false})) {
      const bool of_table = line.starts_with("GPU  ") || line.starts_with("  0  ");
      EXPECT_LE(display_width(line), of_table ? 80 : columns) << line;
    }
  }
}

TEST(ReportText, ALongOneIsCutToAScreenWhereItCan) {
  Report report = throttled();
  for (int i = 0; i < 3; ++i) report.causes.push_back("a cause that takes a line");
  for (int i = 0; i < 9; ++i)
    report.evidence.push_back({"a share of time that was measured", 50.0, "%", "x"});
  for (int i = 0; i < 3; ++i) report.fixes.push_back(report.fixes[0]);
  report.unknown.assign(5, {"thing", "reason"});
  const auto page = report_text(report, "a");
  EXPECT_LT(page.size(), 24U) << joined(page);
  const std::string text = joined(page);
  for (const char* kept : {"quota_throttled", "1  raise the quota", "docker update", "NVIDIA A100", "work  "})
    EXPECT_NE(text.find(kept), std::string::npos) << kept;
  EXPECT_GT(report_text(report, "a", {.columns = 80, .rows = 100}).size(), 24U);
}

TEST(ReportText, TheWorkersPartsAddUpTo100) {
  Report report = throttled();
  const auto work = [&report] {
    for (const std::string& line : report_text(report, "a", {.columns = 200}))
      if (line.starts_with("work")) return line;
    return std::string();
  };
  report.cpu.workers_on_cpu = 0.315;
  report.cpu.workers_waiting_for_cpu = 0.215;
  report.cpu.workers_in_io = 0.175;
  report.cpu.workers_idle = 0.315;  // 1.02 together
  EXPECT_EQ(work(), "work  2 workers: 31 % on a CPU, 21 % waiting for one, 17 % in I/O, 31 % idle");
  report.cpu.workers_on_cpu = report.cpu.workers_waiting_for_cpu = report.cpu.workers_in_io = 0.0;
  report.cpu.workers_idle = 0.5;
  report.cpu.workers_stopped = 0.5;
  report.cpu.workers_asleep = 0.0;
  EXPECT_EQ(work(),
            "work  2 workers: 0 % on a CPU, 0 % waiting for one, 0 % in I/O, 50 % idle, 50 % stopped");
}

TEST(ReportText, ColoursOnlyWhereAsked) {
  const auto has_escape = [](const std::vector<std::string>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const std::string& line) { return line.find('\x1b') != std::string::npos; });
  };
  EXPECT_FALSE(has_escape(report_text(throttled(), "a")));
  EXPECT_TRUE(has_escape(report_text(throttled(), "a", {.columns = 80, .colours = true})));
}

TEST(ReportText, NamesCannotDrawOnTheTerminal) {
  Report report = throttled();
  report.gpus[0].name = "\x1b[2J";
  report.summary = "bell\a";
  for (const std::string& line : report_text(report, "evil\x1b[0m"))
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
}

TEST(Elided, KeepsBothEndsWithinTheColumns) {
  EXPECT_EQ(elided("short", 8), "short");
  EXPECT_EQ(elided("python train.py --lr 0.1", 12), "python … 0.1");
  EXPECT_EQ(display_width(elided(std::string(300, 'x') + "ää", 20)), 20U);
  EXPECT_TRUE(elided(std::string(300, 'x') + "ää", 20).ends_with("ää"));
}

TEST(ReportText, AnEmptyReportSaysThatNothingIsKnown) {
  const std::string text = joined(report_text(Report{}, "this machine"));
  EXPECT_NE(text.find("not known (unknown)"), std::string::npos);
  EXPECT_EQ(text.find("0 %"), std::string::npos) << "unknown is never 0";
}

TEST(ReportText, LongListsAreCutAndSaidSo) {
  Report report = throttled();
  for (int i = 1; i < 40; ++i) report.gpus.push_back(report.gpus[0]);
  for (int i = 0; i < 20; ++i) report.unknown.push_back({"thing", "reason"});
  const std::string text = joined(report_text(report, "a"));
  EXPECT_NE(text.find("and 24 more; --json has all"), std::string::npos);
  EXPECT_NE(text.find("and 20 more; --json has all"), std::string::npos);
}

TEST(ReportText, MoneyIsToldWhereAPriceIsGiven) {
  Report report = throttled();
  report.cost = Cost{.per_hour = 3, .lost_per_hour = 1.32, .currency = "USD", .prices_dated = "2026-11-01"};
  const std::string text = joined(report_text(report, "a"));
  EXPECT_NE(text.find("money: 1.32 USD of 3.00 an hour buy waiting (prices of 2026-11-01)"),
            std::string::npos)
      << text;
}

TEST(ReportJson, HasEveryMemberAndNullForUnknown) {
  const Json json = report_json(throttled(), {{"gpu>=80", false, "gpu is 54"}});
  EXPECT_EQ(json["schema"], "stoker.doctor/1");
  EXPECT_EQ(json["verdict"], "quota_throttled");
  EXPECT_EQ(json["stall_share"], 0.44);
  EXPECT_EQ(json["fixes"][0]["predicted_gain"], 1.1);
  EXPECT_EQ(json["fixes"][0]["label"], "estimate");
  EXPECT_EQ(json["fixes"][1]["label"], "up_to");
  EXPECT_TRUE(json["fixes"][1]["predicted_images_per_s"].is_null());
  EXPECT_EQ(json["gpu"][0]["memory_used_mib"], 12288.0);
  EXPECT_TRUE(json["gpu"][0]["power_mean_w"].is_null());
  EXPECT_TRUE(json["evidence"][1]["value"].is_null());
  EXPECT_TRUE(json["cost"].is_null());
  EXPECT_EQ(json["checks"][0]["met"], false);
  EXPECT_EQ(json["unknown"][0]["why"], "needs Hopper or later");
}

TEST(ReportJson, AnEmptyReportHoldsNoZeroes) {
  const Json json = report_json(Report{});
  for (const char* part : {"cpu", "io"}) {
    for (const auto& [name, value] : json[part].items()) EXPECT_TRUE(value.is_null()) << name;
  }
  EXPECT_TRUE(json["stall_share"].is_null());
}

}  // namespace
}  // namespace stoker::show
