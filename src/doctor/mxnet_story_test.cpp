// The story of MXNet's decode threads, retold from a trace that a script makes of stated numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/doctor.hpp"

#include "support/run_program.hpp"
#include "support/temp_dir.hpp"

namespace stoker::doctor {

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class MxnetStory : public ::testing::Test {
 protected:
  // Absent where no Python is there to make it.
  std::optional<Report> tell(std::vector<std::string> options) {
    std::vector<std::string> command = {"/usr/bin/env", "python3", STOKER_MXNET_STORY};
    command.insert(command.end(), options.begin(), options.end());
    const std::string path = folder_.path("story.trace");
    test::RunOptions run;
    run.standard_output = path;
    const test::ProgramResult result = test::run_program(command, run);
    if (result.status == 127) return std::nullopt;
    EXPECT_EQ(result.status, 0) << result.err;
    return diagnose(read_trace(path));
  }

 private:
  test::TempDir folder_;
};

TEST_F(MxnetStory, FourDecodeThreadsAndIdleCpus) {
  const auto report = tell({});
  if (!report) GTEST_SKIP() << "no python3";
  EXPECT_EQ(report->verdict, Verdict::too_few_workers) << report->summary;
  EXPECT_NEAR(*report->images_per_s, 400, 4);
  EXPECT_NEAR(*report->stall_share, 3.0 / 7, 0.02);
  ASSERT_FALSE(report->fixes.empty());
  const Fix& fix = report->fixes.front();
  EXPECT_EQ(fix.how.front().tool, "MXNet");
  EXPECT_THAT(fix.how.front().text, HasSubstr("--data-nthreads 32"));
  EXPECT_NEAR(*fix.predicted_images_per_s, 700, 14);
  // 512 images at 400 a second: a period of 1.28 s, of which 4/7 are busy.
  ASSERT_EQ(report->gpus.size(), 16U);
  ASSERT_TRUE(report->gpus[3].period_s.known()) << report->gpus[3].period_s.why();
  EXPECT_NEAR(*report->gpus[3].period_s, 1.28, 0.05);
  EXPECT_NEAR(*report->gpus[3].duty_share, 4.0 / 7, 0.05);
}

TEST_F(MxnetStory, EveryCpuBusyIsNoMatterOfThreads) {
  const auto report = tell({"--cpus", "8", "--cpu-idle", "0.01", "--decode-threads", "7", "--gpus", "2"});
  if (!report) GTEST_SKIP() << "no python3";
  EXPECT_EQ(report->verdict, Verdict::cpu_bound) << report->summary;
}

TEST_F(MxnetStory, GpusThatKeepUpAreTheLimit) {
  const auto report = tell({"--images-per-s", "690"});
  if (!report) GTEST_SKIP() << "no python3";
  EXPECT_EQ(report->verdict, Verdict::gpu_bound) << report->summary;
}

}  // namespace

}  // namespace stoker::doctor
