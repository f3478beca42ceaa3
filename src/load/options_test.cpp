#include "load/options.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace stoker::load {
namespace {

using ::testing::HasSubstr;

std::string refusal(const LoaderOptions& options, std::uint64_t size = 100) {
  try {
    check_options(options, size);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "accepted";
}

TEST(CheckOptions, DefaultsPass) { EXPECT_EQ(refusal({}), "accepted"); }

TEST(CheckOptions, NamesTheOptionItsValueAndTheRange) {
  const std::string text = refusal({.batch_size = 0});
  EXPECT_THAT(text, HasSubstr("batch_size"));
  EXPECT_THAT(text, HasSubstr("allowed: 1..1048576"));
}

TEST(CheckOptions, RefusesWhatCannotWork) {
  EXPECT_THAT(refusal({.threads = -1}), HasSubstr("threads"));
  EXPECT_THAT(refusal({.threads = 100000}), HasSubstr("threads"));
  EXPECT_THAT(refusal({.read_threads = -1}), HasSubstr("read_threads"));
  EXPECT_THAT(refusal({.rank = 2, .world_size = 2}), HasSubstr("rank"));
  EXPECT_THAT(refusal({.rank = -1}), HasSubstr("rank"));
  EXPECT_THAT(refusal({.world_size = 0}), HasSubstr("world_size"));
  EXPECT_THAT(refusal({.max_bad_share = 1.5}), HasSubstr("max_bad_share"));
  EXPECT_THAT(refusal({.max_bad_share = std::nan("")}), HasSubstr("max_bad_share"));
  EXPECT_THAT(refusal({.batches_ahead = 0}), HasSubstr("batches_ahead"));
  EXPECT_THAT(refusal({.batch_size = 1 << 20, .batches_ahead = 2}), HasSubstr("images together"));
  EXPECT_THAT(refusal({.label_width = -1}), HasSubstr("label_width"));
}

TEST(CheckOptions, RefusesASourceWithoutSamples) { EXPECT_THAT(refusal({}, 0), HasSubstr("no samples")); }

TEST(CheckOptions, RefusesMoreSamplesThanAnOrderHolds) {
  EXPECT_THAT(refusal({}, std::uint64_t{1} << 32), HasSubstr("split it"));
}

// An epoch of no steps would be a loop that never ends in the caller.
TEST(CheckOptions, RefusesToDropAllThereIs) {
  const std::string text = refusal({.batch_size = 32, .world_size = 4, .last_batch = LastBatchPolicy::drop});
  EXPECT_THAT(text, HasSubstr("100 samples do not fill batch_size 32 × world_size 4"));
  EXPECT_THAT(text, HasSubstr("use keep or pad"));
  EXPECT_EQ(refusal({.batch_size = 25, .world_size = 4, .last_batch = LastBatchPolicy::drop}), "accepted");
}

TEST(Policies, HaveTheNamesOfTheCommandLine) {
  EXPECT_EQ(to_string(BadSamplePolicy::raise), "raise");
  EXPECT_EQ(to_string(BadSamplePolicy::skip), "skip");
  EXPECT_EQ(to_string(BadSamplePolicy::substitute), "substitute");
  EXPECT_EQ(to_string(LastBatchPolicy::keep), "keep");
  EXPECT_EQ(to_string(LastBatchPolicy::drop), "drop");
  EXPECT_EQ(to_string(LastBatchPolicy::pad), "pad");
}

}  // namespace
}  // namespace stoker::load
