#include "base/step_reader.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/error.hpp"

namespace stoker {
namespace {

using ::testing::HasSubstr;

constexpr StepGrammar kGrammar{.operation = "read plan", .example = "cut(3) turn(angle=90)"};
constexpr std::array<std::string_view, 2> kOptions{"size", "mode"};
constexpr std::array<std::string_view, 2> kModes{"quick", "careful"};

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

StepText only_step(std::string_view text) { return split_steps(text, kGrammar).at(0); }

TEST(SplitSteps, TakesNamesValuesAndOptionsApart) {
  const auto steps = split_steps(" cut( 3 , mode=quick )  flip ", kGrammar);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].name, "cut");
  EXPECT_EQ(steps[0].whole, "cut( 3 , mode=quick )");
  EXPECT_EQ(steps[0].values, std::vector<std::string_view>{"3"});
  ASSERT_EQ(steps[0].options.size(), 1U);
  EXPECT_EQ(steps[0].options[0].first, "mode");
  EXPECT_EQ(steps[0].options[0].second, "quick");
  EXPECT_EQ(steps[1].name, "flip");
  EXPECT_TRUE(split_steps("", kGrammar).empty());
}

TEST(SplitSteps, ErrorsNameTheOperationAndShowItsExample) {
  const std::string told = refusal([] { split_steps("cut(3)|turn", kGrammar); });
  EXPECT_THAT(told, HasSubstr("read plan"));
  EXPECT_THAT(told, HasSubstr("cut(3) turn(angle=90)"));
  for (const char* wrong :
       {"cut(3", "cut((3))", "(3)", "cut(3,)", "cut(=3)", "cut(a=1, a=2)", "cut(a=1, 2)", "a)"})
    refusal([&] { split_steps(wrong, kGrammar); });
}

TEST(StepReader, EachOptionIsReadOnceAndDefaultsStand) {
  const StepText step = only_step("cut(7, mode=careful)");
  StepReader reader(step, kGrammar);
  EXPECT_EQ(reader.whole("size", 1, 9, 3), 7);
  EXPECT_EQ(reader.choice("mode", kModes, 0), 1U);
  EXPECT_EQ(reader.number("share", 0, 1, 0.5), 0.5);
  reader.finish(kOptions);
}

TEST(StepReader, AChoiceThatIsNoneNamesTheNearest) {
  const StepText step = only_step("cut(mode=carefull)");
  StepReader reader(step, kGrammar);
  const std::string told = refusal([&] { reader.choice("mode", kModes, 0); });
  EXPECT_THAT(told, HasSubstr("quick, careful"));
  EXPECT_THAT(told, HasSubstr("did you mean mode=careful?"));
}

TEST(StepReader, WhatNobodyAskedForIsRefused) {
  const StepText step = only_step("cut(sise=3)");
  StepReader reader(step, kGrammar);
  EXPECT_EQ(reader.whole("size", 1, 9, 3), 3);
  EXPECT_THAT(refusal([&] { reader.finish(kOptions); }), HasSubstr("did you mean 'size'?"));

  const StepText many = only_step("cut(3, 4)");
  StepReader second(many, kGrammar);
  EXPECT_EQ(second.whole("size", 1, 9, 3), 3);
  EXPECT_THAT(refusal([&] { second.finish(kOptions); }), HasSubstr("'4', one value too many"));
}

TEST(StepReader, NumbersKeepTheirBounds) {
  for (const char* wrong : {"cut(0)", "cut(10)", "cut(3.5)", "cut(x)", "cut(99999999999)"}) {
    const StepText step = only_step(wrong);
    StepReader reader(step, kGrammar);
    EXPECT_THAT(refusal([&] { reader.whole("size", 1, 9, 3); }), HasSubstr("a whole number 1..9")) << wrong;
  }
}

TEST(StepReader, AnUnknownStepNamesTheNearest) {
  const StepText step = only_step("cud(3)");
  const StepReader reader(step, kGrammar);
  static constexpr std::array<std::string_view, 2> kSteps{"cut", "turn"};
  EXPECT_THAT(refusal([&] { reader.refuse_unknown(kSteps); }), HasSubstr("did you mean 'cut'?"));
}

}  // namespace
}  // namespace stoker
