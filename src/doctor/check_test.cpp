#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/doctor.hpp"
#include "stoker/error.hpp"

namespace stoker {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Report made_report() {
  Report report;
  report.verdict = Verdict::too_few_workers;
  report.stall_share = 0.4;
  report.images_per_s = 400.0;
  report.confidence = 0.8;
  for (const double util : {60.0, 40.0, 0.0}) {
    GpuSummary& gpu = report.gpus.emplace_back();
    gpu.util_mean = util;
  }
  report.cpu.allowed = 8.0;
  report.cpu.training = 2.0;
  return report;
}

bool met(const char* condition) { return check_report(condition, made_report()).at(0).met; }

TEST(Check, GpuIsTheMeanOfThoseUsed) {
  EXPECT_EQ(check_report("gpu>=80", made_report())[0].found, "gpu is 50");
  EXPECT_FALSE(met("gpu>=80"));
  EXPECT_TRUE(met("gpu>=50"));
  EXPECT_FALSE(met("gpu>50"));
  EXPECT_TRUE(met("gpu_min>=40"));
  EXPECT_TRUE(met("unused==1"));
}

TEST(Check, GpuWhereNoneIsUsed) {
  Report report;
  report.gpus.resize(2);
  for (GpuSummary& gpu : report.gpus) gpu.util_mean = 0.0;
  EXPECT_EQ(check_report("gpu>=80", report)[0].found, "gpu is 0");
}

TEST(Check, OtherNames) {
  EXPECT_TRUE(met("stall<0.5"));
  EXPECT_TRUE(met("images_per_s>399"));
  EXPECT_TRUE(met("cpu<=25"));  // 2 of 8 CPUs
  EXPECT_TRUE(met("confidence!=1"));
  EXPECT_TRUE(met("verdict==too_few_workers"));
  EXPECT_TRUE(met("verdict!=hang"));
}

TEST(Check, SeveralAndBlanks) {
  const auto checks = check_report(" gpu >= 80 , stall<0.5", made_report());
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].text, "gpu >= 80");
  EXPECT_FALSE(checks[0].met);
  EXPECT_TRUE(checks[1].met);
}

TEST(Check, AnUnknownValueMeetsNothing) {
  for (const char* condition : {"stall<1", "stall>=0", "gpu<=100", "throttled!=0.5", "sm_active<=100"}) {
    const auto checks = check_report(condition, Report{});
    EXPECT_FALSE(checks[0].met) << condition;
    EXPECT_NE(checks[0].found.find("unknown"), std::string::npos) << checks[0].found;
  }
}

TEST(Check, RefusalsSayWhatIsAllowed) {
  for (const char* condition :
       {"", "gpu", "gpu>=", "gpu>=x", "gpo>=80", ">=80", "gpu>=80,", "gpu>=80 %", "verdict>=2"}) {
    try {
      check_report(condition, made_report());
      ADD_FAILURE() << condition << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_FALSE(error.parts().allowed.empty()) << condition;
    }
  }
}

std::string refusal(const char* condition) {
  try {
    check_report(condition, made_report());
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

TEST(Check, ANumberOutOfANamesRangeIsRefused) {
  EXPECT_THAT(refusal("stall<10"),
              AllOf(HasSubstr("`stall` is a number from 0 to 1"), HasSubstr("write 0.1")));
  EXPECT_THAT(refusal("gpu>=101"), HasSubstr("0 to 100, percent"));
  EXPECT_THAT(refusal("gpu>=-1"), HasSubstr("0 to 100, percent"));
  EXPECT_THAT(refusal("confidence>nan"), HasSubstr("0 to 1"));
  EXPECT_EQ(refusal("images_per_s>=100000"), "taken");
}

TEST(Check, AVerdictThatIsNoneIsRefused) {
  EXPECT_THAT(refusal("verdict==helthy"),
              AllOf(HasSubstr("gpu_bound"), HasSubstr("did you mean `healthy`?")));
  EXPECT_EQ(refusal("verdict!=unknown"), "taken");
}

TEST(Check, RefusalsNameWhatIsWrong) {
  EXPECT_THAT(refusal("gpu>=20,"), HasSubstr("behind commas"));
  EXPECT_THAT(refusal("gpu>=80%"), HasSubstr("without a sign"));
  EXPECT_THAT(refusal("gpu>="), HasSubstr("nothing behind the comparison"));
  EXPECT_THAT(refusal("x>=1"), AllOf(HasSubstr("gpu_min"), HasSubstr("images_per_s"), HasSubstr("verdict")));
}

TEST(Check, AMistypedNameIsGuessed) {
  try {
    check_report("stal<0.1", made_report());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean `stall`?"), std::string::npos) << error.what();
  }
}

}  // namespace

}  // namespace stoker
