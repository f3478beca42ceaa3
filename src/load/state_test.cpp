#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "stoker/error.hpp"
#include "stoker/loader.hpp"

namespace stoker {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    LoaderState::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "accepted";
}

TEST(LoaderState, TextIsOneLineThatReadsBack) {
  const LoaderState state{
      .seed = 18446744073709551615U, .epoch = 3, .samples_done = 96, .dataset_size = 1281167};
  EXPECT_EQ(state.to_string(),
            R"({"schema":"stoker.loader_state/1","seed":18446744073709551615,"epoch":3,"samples_done":96,)"
            R"("dataset_size":1281167})");
  const LoaderState back = LoaderState::parse(state.to_string());
  EXPECT_EQ(back.seed, state.seed);
  EXPECT_EQ(back.epoch, state.epoch);
  EXPECT_EQ(back.samples_done, state.samples_done);
  EXPECT_EQ(back.dataset_size, state.dataset_size);
}

TEST(LoaderState, RefusesWhatItDidNotWrite) {
  EXPECT_THAT(refusal(""), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal("{"), HasSubstr("no JSON object"));
  EXPECT_THAT(refusal(R"({"epoch":1})"), HasSubstr("no schema"));
  EXPECT_THAT(refusal(R"({"schema":"stoker.loader_state/2"})"), HasSubstr("stoker.loader_state/1"));
}

TEST(LoaderState, RefusesNumbersThatAreNone) {
  const std::string begin = R"({"schema":"stoker.loader_state/1",)";
  EXPECT_THAT(refusal(begin + R"("seed":1,"epoch":0,"dataset_size":10})"), HasSubstr("no 'samples_done'"));
  EXPECT_THAT(refusal(begin + R"("seed":-1,"epoch":0,"samples_done":0,"dataset_size":10})"),
              HasSubstr("'seed' is -1"));
  EXPECT_THAT(refusal(begin + R"("seed":1,"epoch":0.5,"samples_done":0,"dataset_size":10})"),
              HasSubstr("'epoch'"));
  EXPECT_THAT(refusal(begin + R"("seed":1,"epoch":0,"samples_done":"3","dataset_size":10})"),
              HasSubstr("'samples_done'"));
  EXPECT_THAT(refusal(begin + R"("seed":1,"epoch":0,"samples_done":11,"dataset_size":10})"),
              HasSubstr("0..10"));
  EXPECT_THAT(refusal(begin + R"("seed":1,"epoch":4294967296,"samples_done":0,"dataset_size":10})"),
              HasSubstr("below"));
}

}  // namespace
}  // namespace stoker
