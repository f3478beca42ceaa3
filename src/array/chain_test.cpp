#include "array/chain.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/float16.hpp"

namespace stoker::array {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    const Chain chain(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << text;
    return error.what();
  }
  return "it was read";
}

std::vector<std::byte> file_of(const Shape& shape, const std::vector<float>& numbers) {
  std::vector<std::byte> file;
  write_npy(shape, numbers, StoredType::float32, file);
  return file;
}

std::string told(const std::string& steps, const Shape& shape, const std::vector<float>& numbers) {
  Chain chain(steps);
  const auto made = chain.run(file_of(shape, numbers));
  if (made) return "made";
  return std::string(to_string(made.error().code())) + ": " + made.error().what();
}

TEST(Chain, ItsTextHasEveryOption) {
  EXPECT_EQ(Chain("spectrogram").to_string(), "spectrogram(window=256, hop=64, log=true, dtype=float16)");
  EXPECT_EQ(Chain("spectrogram(128, 32, false)").to_string(),
            "spectrogram(window=128, hop=32, log=false, dtype=float32)");
  EXPECT_EQ(Chain("spectrogram(window=16)").to_string(),
            "spectrogram(window=16, hop=16, log=true, dtype=float16)");
  EXPECT_EQ(Chain("mel(rate=256)  resize( shape=64x100 )").to_string(),
            "mel(rate=256, bands=40, window=256, hop=64, log=true, dtype=float16) resize(shape=64x100)");
  EXPECT_EQ(Chain("resize(length=7, dtype=float16)").to_string(), "resize(length=7, dtype=float16)");
  for (const char* text : {"spectrogram(64, hop=3)", "mel(200.5, 12)", "resize(8) resize(9)"}) {
    const std::string once = Chain(text).to_string();
    EXPECT_EQ(Chain(once).to_string(), once);
  }
}

TEST(Chain, TheLastStepThatSaysSoDecidesTheType) {
  EXPECT_EQ(Chain("resize(8)").stored(), StoredType::float32);
  EXPECT_EQ(Chain("spectrogram resize(8)").stored(), StoredType::float16);
  EXPECT_EQ(Chain("spectrogram(log=false) resize(8)").stored(), StoredType::float32);
  EXPECT_EQ(Chain("spectrogram resize(8, dtype=float32)").stored(), StoredType::float32);
}

TEST(Chain, MistakesAreNamedWithWhatIsAllowedAndTheNearest) {
  EXPECT_THAT(refusal("spectogram"), HasSubstr("did you mean 'spectrogram'?"));
  EXPECT_THAT(refusal("spectogram"), HasSubstr("spectrogram, mel, resize"));
  EXPECT_THAT(refusal("spectrogram(windows=256)"), HasSubstr("did you mean 'window'?"));
  EXPECT_THAT(refusal("spectrogram(window=255)"), HasSubstr("an even number"));
  EXPECT_THAT(refusal("spectrogram(window=4)"), HasSubstr("8..65536"));
  EXPECT_THAT(refusal("spectrogram(window=16, hop=17)"), HasSubstr("1..16"));
  EXPECT_THAT(refusal("spectrogram(log=yes)"), HasSubstr("false, true"));
  EXPECT_THAT(refusal("spectrogram(dtype=float15)"), HasSubstr("did you mean dtype=float16?"));
  EXPECT_THAT(refusal("mel"), HasSubstr("mel(rate=256)"));
  EXPECT_THAT(refusal("mel(rate=256, bands=300)"), HasSubstr("fewer bands or a larger window"));
  EXPECT_THAT(refusal("resize"), HasSubstr("no length"));
  EXPECT_THAT(refusal("resize(length=3, shape=3x3)"), HasSubstr("one of them"));
  for (const char* shape : {"3", "3x", "x3", "0x3", "3x3x3", "-1x2"})
    EXPECT_THAT(refusal("resize(shape=" + std::string(shape) + ")"), HasSubstr("ROWSxCOLUMNS")) << shape;
  EXPECT_THAT(refusal(""), HasSubstr("no steps"));
  EXPECT_THAT(refusal("resize(3), resize(4)"), HasSubstr("separated by blanks"));
}

TEST(Chain, StepsFollowEachOther) {
  Chain chain("spectrogram(window=32, hop=8, dtype=float32) resize(shape=4x5)");
  EXPECT_EQ(chain.output_shape({3, 100}).value(), (Shape{3, 4, 5}));
  std::vector<float> wave(300);
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(static_cast<float>(i));
  const auto made = chain.run(file_of({3, 100}, wave));
  ASSERT_TRUE(made) << made.error().what();
  const auto array = read_npy(*made);
  ASSERT_TRUE(array) << array.error().what();
  EXPECT_EQ(array->shape, (Shape{3, 4, 5}));

  // The same by a chain for each step.
  const std::vector<std::byte> by_chain(made->begin(), made->end());
  Chain first("spectrogram(window=32, hop=8, dtype=float32)"), second("resize(shape=4x5)");
  const auto between = first.run(file_of({3, 100}, wave));
  ASSERT_TRUE(between);
  const auto by_steps = second.run(*between);
  ASSERT_TRUE(by_steps);
  EXPECT_TRUE(std::equal(by_chain.begin(), by_chain.end(), by_steps->begin(), by_steps->end()));
}

TEST(Chain, OneChainServesManyShapes) {
  Chain chain("resize(length=2)");
  for (const std::size_t length : {1, 300, 7}) {
    const auto made = chain.run(file_of({length}, std::vector<float>(length, 3)));
    ASSERT_TRUE(made);
    EXPECT_EQ(read_npy(*made)->shape, (Shape{2}));
  }
}

TEST(Chain, NumbersThatAreNoneAreNamedWithTheirPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(told("resize(2)", {2, 3}, {1, 2, 3, 4, 5, nan}),
              HasSubstr("corrupt_data: transform array [1, 2]: nan"));
  EXPECT_THAT(told("resize(2)", {3}, {1, inf, 2}), HasSubstr("[1]: inf"));
  EXPECT_THAT(told("spectrogram(window=8, log=false)", {8}, std::vector<float>(8, 1e30F)),
              HasSubstr("finite numbers"))
      << "squares leave float32";
}

TEST(Chain, WhatHalvesCannotHoldIsRefused) {
  const std::string steps = "resize(1, dtype=float16)";
  EXPECT_EQ(told(steps, {1}, {65504}), "made");
  EXPECT_THAT(told(steps, {1}, {65510}), HasSubstr("dtype=float32"));
  EXPECT_THAT(told(steps, {1}, {1e-6F}), HasSubstr("dtype=float32")) << "volts of an EEG";
  EXPECT_EQ(told(steps, {1}, {0}), "made");
}

TEST(Chain, WhatASampleDoesNotFitIsRefused) {
  EXPECT_THAT(told("spectrogram", {20, 200}, std::vector<float>(4000)),
              HasSubstr("unsupported: transform array: 200 samples on the last axis"));
  EXPECT_THAT(told("resize(16777216)", {17, 1}, std::vector<float>(17)), HasSubstr("out_of_resources"));
  Chain chain("resize(2)");
  EXPECT_FALSE(chain.run({}));
}

}  // namespace
}  // namespace stoker::array
