// What the doctor says of logs that people published, against what their manifest says they show.
#include <gtest/gtest.h>
#include <map>

#include "stoker/doctor.hpp"
#include "stoker/error.hpp"

#include "support/shared_data.hpp"

namespace stoker::doctor {

namespace {

// Where the verdict does not repeat the manifest's words, the comment says why.
const std::map<std::string, Verdict>& expected() {
  static const std::map<std::string, Verdict> verdicts = {
      {"a6000-two-gpus-one-idle.csv", Verdict::gpu_unused},
      {"v100s-steady-28-percent.csv", Verdict::data_bound},  // starved or launch-bound: a curve tells no more
      {"rtx2070-header-every-line.csv", Verdict::data_bound},  // a desktop: nothing in the curve says so
      {"gpu11gb-utf16.csv", Verdict::data_bound},
      {"eight-gpus-steady-98.csv", Verdict::healthy},
      {"power-clocks-pstate.csv", Verdict::data_bound},  // three phases; over all of it 55 %
      {"v100s-idle-minutes.csv", Verdict::data_bound},   // that its CPU was the limit is not in the log
      {"gtx1650-13ms-samples.csv", Verdict::unknown},    // one second
      {"idle-hours-memory-held.csv", Verdict::gpu_unused},
      {"gpu48gb-quoted-newlines.csv", Verdict::data_bound},
      {"ember-sync-100ms.csv", Verdict::data_bound},
      {"t4-nounits-epoch.csv", Verdict::data_bound},
      {"slowfast-values-only.csv", Verdict::healthy},
      {"gpustat-memory-full-util-1.txt", Verdict::data_bound},
      {"dmon-jpg-ofa-oscillating.txt", Verdict::data_bound},
      {"dmon-util-only.txt", Verdict::data_bound},
      {"dmon-with-date-v100.txt", Verdict::healthy},  // the idle tail is a tenth of it
      {"wandb-events-cpu-bound.jsonl", Verdict::cpu_bound},
      {"dcgm-fields-long.csv", Verdict::gpu_unused},  // no utilisation: by the reason of its low clocks
      {"h100-llm-powercap-columns.csv", Verdict::healthy},
      {"table-a100x8-one-of-eight.txt", Verdict::gpu_unused},
      {"table-a40-every-minute.txt", Verdict::data_bound},
      {"jetson-tegrastats.txt", Verdict::gpu_unused},
      {"h100-pcie-350w-powercapped-bursts.csv", Verdict::gpu_bound},
      {"dcgm-exporter-a100-mig.prom", Verdict::unknown},  // full load, but at one moment only
      {"made-na-fields.csv", Verdict::data_bound},        // as its source
  };
  return verdicts;
}

Report report_on(const std::string& file) {
  return diagnose(read_trace(test::shared_data("gpu-logs/" + file)));
}

TEST(GpuLogs, VerdictsAgreeWithWhatTheyShow) {
  STOKER_NEEDS_DATA(manifest, "gpu-logs/MANIFEST.tsv");
  std::size_t met = 0;
  for (auto& row : test::read_tsv(manifest)) {
    const auto wanted = expected().find(row["file"]);
    if (wanted == expected().end()) {
      ADD_FAILURE() << row["file"] << " has no expectation";
      continue;
    }
    ++met;
    const Report report = report_on(row["file"]);
    EXPECT_EQ(to_string(report.verdict), to_string(wanted->second)) << row["file"] << ": " << report.summary;
    EXPECT_FALSE(report.summary.empty());
    EXPECT_FALSE(report.unknown.empty()) << row["file"];  // curves alone never tell all
  }
  EXPECT_EQ(met, expected().size());
}

TEST(GpuLogs, DipsOfEightGpusAreFoundAsTheirPeriod) {
  STOKER_NEEDS_DATA(manifest, "gpu-logs/MANIFEST.tsv");
  // Dips at 14.8, 36.9, 59.3, 81.7, 103.9 and 126.2 s.
  const Report report = report_on("eight-gpus-steady-98.csv");
  ASSERT_EQ(report.gpus.size(), 8U);
  ASSERT_TRUE(report.gpus[3].period_s.known()) << report.gpus[3].period_s.why();
  EXPECT_NEAR(*report.gpus[3].period_s, 22.3, 0.3);
}

TEST(GpuLogs, PowerCapIsInferredFromClockAndPower) {
  STOKER_NEEDS_DATA(manifest, "gpu-logs/MANIFEST.tsv");
  const Report capped = report_on("h100-pcie-350w-powercapped-bursts.csv");
  ASSERT_FALSE(capped.causes.empty());
  EXPECT_NE(capped.causes[0].find("power-capped"), std::string::npos) << capped.causes[0];
  for (const std::string& cause : report_on("h100-llm-powercap-columns.csv").causes)
    EXPECT_EQ(cause.find("power-capped"), std::string::npos) << cause;
}

TEST(GpuLogs, AJobThatEndedAndHoldsItsMemory) {
  STOKER_NEEDS_DATA(manifest, "gpu-logs/MANIFEST.tsv");
  const Report report = report_on("idle-hours-memory-held.csv");
  EXPECT_NE(report.summary.find("memory is held"), std::string::npos) << report.summary;
}

}  // namespace

}  // namespace stoker::doctor
