#include "train/advice.hpp"

#include <gmock/gmock.h>

namespace stoker::training {
namespace {

using ::testing::HasSubstr;

TEST(WaitAdvice, IsSilentUpToFivePercent) {
  EXPECT_FALSE(wait_advice({.wait_s = 0, .wall_s = 100}).has_value());
  EXPECT_FALSE(
      wait_advice(
          {.wait_s = 5, .wall_s = 100, .decode_busy_share = 1, .decode_threads = 1, .allowed_cpus = 2})
          .has_value());
}

TEST(WaitAdvice, IsSilentAboutTheFirstBatchOfAShortTraining) {
  EXPECT_FALSE(wait_advice(
      {.wait_s = 0.2, .wall_s = 0.5, .decode_busy_share = 1, .decode_threads = 1, .allowed_cpus = 2}));
  EXPECT_TRUE(wait_advice(
      {.wait_s = 1.2, .wall_s = 3, .decode_busy_share = 1, .decode_threads = 1, .allowed_cpus = 2}));
}

TEST(WaitAdvice, NamesStorageWhereWorkersWaitForBytes) {
  const auto advice = wait_advice(
      {.wait_s = 40, .wall_s = 100, .decode_busy_share = 0.1, .decode_threads = 2, .allowed_cpus = 2});
  EXPECT_THAT(advice.value(), HasSubstr("40 % of the time"));
  EXPECT_THAT(advice.value(), HasSubstr("waited for bytes 90 %"));
  EXPECT_THAT(advice.value(), HasSubstr("disk"));
}

TEST(WaitAdvice, NamesIdleCpusWhereWorkersAreFew) {
  const auto advice = wait_advice(
      {.wait_s = 40, .wall_s = 100, .decode_busy_share = 0.9, .decode_threads = 1, .allowed_cpus = 8});
  EXPECT_THAT(advice.value(), HasSubstr("1 decode worker ran where 8 CPUs"));
  EXPECT_THAT(advice.value(), HasSubstr("--data-nthreads"));
}

TEST(WaitAdvice, NamesSmallerImagesWhereAllCpusDecode) {
  const auto advice = wait_advice(
      {.wait_s = 6, .wall_s = 100, .decode_busy_share = 0.9, .decode_threads = 8, .allowed_cpus = 8});
  EXPECT_THAT(advice.value(), HasSubstr("all of the 8 CPUs"));
  EXPECT_THAT(advice.value(), HasSubstr("--resize-short"));
}

TEST(WaitEvidence, ReadsTheCounters) {
  CountersFile counters;
  counters.stages[static_cast<std::size_t>(Stage::decode)].busy_ns = 200;
  counters.stages[static_cast<std::size_t>(Stage::decode)].blocked_on_input_ns = 300;
  counters.stages[static_cast<std::size_t>(Stage::transform)].busy_ns = 100;
  const WaitEvidence evidence = wait_evidence(2, 10, counters, 3, 4);
  EXPECT_DOUBLE_EQ(evidence.decode_busy_share, 0.5);
  EXPECT_EQ(evidence.decode_threads, 3);
  EXPECT_EQ(evidence.allowed_cpus, 4);
  EXPECT_DOUBLE_EQ(evidence.wait_s, 2);
  EXPECT_DOUBLE_EQ(evidence.wall_s, 10);
}

}  // namespace
}  // namespace stoker::training
