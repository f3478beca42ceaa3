#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>

#include "array/resize.hpp"
#include "array/spectrogram.hpp"

namespace stoker::array {
namespace {

std::vector<float> run(Step& step, const Shape& shape, const std::vector<float>& in) {
  const auto output = step.output_shape(shape);
  EXPECT_TRUE(output) << output.error().what();
  std::vector<float> out(output ? count_of(*output) : 0);
  if (output) step.run(shape, in, out);
  return out;
}

std::vector<float> sine(std::size_t samples, double cycles_a_sample, double amplitude = 1) {
  std::vector<float> wave(samples);
  for (std::size_t n = 0; n < samples; ++n)
    wave[n] = static_cast<float>(amplitude *
                                 std::sin(2 * std::numbers::pi * cycles_a_sample * static_cast<double>(n)));
  return wave;
}

TEST(Spectrogram, ShapeFollowsFromTheInputs) {
  const Spectrogram step({.window = 256, .hop = 64});
  EXPECT_EQ(step.output_shape({20, 2560}).value(), (Shape{20, 129, 37}));
  EXPECT_EQ(step.output_shape({20, 256}).value(), (Shape{20, 129, 1}));
  EXPECT_EQ(step.output_shape({20, 319}).value(), (Shape{20, 129, 1})) << "no whole second frame";
  EXPECT_EQ(step.output_shape({20, 320}).value(), (Shape{20, 129, 2}));
  EXPECT_EQ(step.output_shape({300}).value(), (Shape{129, 1}));
  EXPECT_EQ(step.output_shape({4, 20, 300}).value(), (Shape{4, 20, 129, 1}));
  EXPECT_EQ(step.output_shape({2560, 20}).error().code(), ErrorCode::unsupported) << "axes exchanged";
  EXPECT_FALSE(step.output_shape({}));
}

TEST(Spectrogram, ASineLiesInItsBin) {
  Spectrogram step({.window = 64, .hop = 16, .log = false});
  // Bin 10: amplitude a gives (a / 2 * sum of w)^2 / sum of w^2 = a^2 / 4 * (N / 2)^2 / (3 N / 8).
  const std::vector<float> power = run(step, {1, 128}, sine(128, 10.0 / 64, 2));
  const std::size_t frames = 5;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    EXPECT_NEAR(power[10 * frames + frame], 64.0 * 2 / 3, 1e-3);
    EXPECT_NEAR(power[9 * frames + frame], 64.0 / 6, 1e-3) << "the window's neighbour: half the amplitude";
    EXPECT_NEAR(power[20 * frames + frame], 0, 1e-8);
  }
}

TEST(Spectrogram, NoiseOfVarianceOneHasPowerOne) {
  std::vector<float> noise(200'000);
  std::uint32_t state = 1;
  for (float& number : noise) {
    state = state * 1664525U + 1013904223U;
    number = (static_cast<float>(state >> 8) * 0x1p-24F - 0.5F) * std::sqrt(12.0F);
  }
  for (const int window : {16, 256}) {
    Spectrogram step({.window = window, .hop = window, .log = false});
    const std::vector<float> power = run(step, {noise.size()}, noise);
    const double mean = std::accumulate(power.begin(), power.end(), 0.0) / static_cast<double>(power.size());
    EXPECT_NEAR(mean, 1, 0.02) << window;  // a standard deviation is about 0.003
  }
}

TEST(Spectrogram, EachChannelIsItsOwn) {
  Spectrogram step({.window = 32, .hop = 8, .log = false});
  std::vector<float> both = sine(64, 0.1);
  const std::vector<float> second = sine(64, 0.3);
  const std::vector<float> first_power = run(step, {1, 64}, both), second_power = run(step, {1, 64}, second);
  both.insert(both.end(), second.begin(), second.end());
  std::vector<float> wanted = first_power;
  wanted.insert(wanted.end(), second_power.begin(), second_power.end());
  EXPECT_EQ(run(step, {2, 64}, both), wanted);
}

TEST(Spectrogram, TheLogarithmHasAFloor) {
  Spectrogram step({.window = 8, .hop = 8});
  const std::vector<float> power = run(step, {1, 8}, std::vector<float>(8));
  for (const float value : power) EXPECT_FLOAT_EQ(value, std::log(1e-20F));
  EXPECT_EQ(step.stored(), StoredType::float16);
  EXPECT_EQ(Spectrogram({.log = false}).stored(), StoredType::float32);
  EXPECT_EQ(Spectrogram({.dtype = StoredType::float32}).stored(), StoredType::float32);
}

TEST(MelBands, TrianglesOverlapAndRise) {
  const std::vector<MelBand> bands = mel_bands({.rate = 256, .bands = 10});
  ASSERT_EQ(bands.size(), 10U);
  std::size_t before = 0;
  for (const MelBand& band : bands) {
    ASSERT_FALSE(band.weights.empty());
    EXPECT_GE(band.first_bin, before);
    before = band.first_bin;
    for (const float weight : band.weights) {
      EXPECT_GT(weight, 0);
      EXPECT_LE(weight, 1);
    }
  }
  EXPECT_GE(bands[0].first_bin, 1U) << "nothing of the mean";
  EXPECT_LT(bands[9].first_bin + bands[9].weights.size(), 129U) << "nothing of the highest bin";
}

TEST(Mel, IsTheWeighedSpectrogram) {
  const std::vector<float> wave = sine(400, 0.07);
  const MelOptions options{.rate = 100, .bands = 6, .spectrum = {.window = 64, .hop = 32, .log = false}};
  Mel mel(options);
  Spectrogram spectrogram(options.spectrum);
  const std::vector<float> power = run(spectrogram, {1, 400}, wave), got = run(mel, {1, 400}, wave);
  const std::size_t frames = 11;
  ASSERT_EQ(got.size(), 6 * frames);
  const std::vector<MelBand> bands = mel_bands(options);
  for (std::size_t band = 0; band < bands.size(); ++band) {
    for (std::size_t frame = 0; frame < frames; ++frame) {
      double sum = 0;
      for (std::size_t i = 0; i < bands[band].weights.size(); ++i)
        sum += bands[band].weights[i] * power[(bands[band].first_bin + i) * frames + frame];
      EXPECT_NEAR(got[band * frames + frame], sum, 1e-5 * sum);
    }
  }
}

TEST(Resize, IsLinearBetweenCentres) {
  Resize twice({4}, std::nullopt);
  EXPECT_EQ(run(twice, {2}, {0, 4}), (std::vector<float>{0, 1, 3, 4}));
  Resize half({2}, std::nullopt);
  EXPECT_EQ(run(half, {2, 4}, {0, 1, 2, 3, 10, 10, 20, 20}), (std::vector<float>{0.5F, 2.5F, 10, 20}));
  Resize same({3}, std::nullopt);
  EXPECT_EQ(run(same, {3}, {1, 5, 2}), (std::vector<float>{1, 5, 2}));
  Resize from_one({3}, std::nullopt);
  EXPECT_EQ(run(from_one, {1}, {7}), (std::vector<float>{7, 7, 7}));
}

TEST(Resize, TwoAxes) {
  Resize step({4, 1}, std::nullopt);
  EXPECT_EQ(step.output_shape({5, 2, 2}).value(), (Shape{5, 4, 1}));
  EXPECT_EQ(run(step, {2, 2, 2}, {0, 2, 4, 6, 1, 1, 1, 1}), (std::vector<float>{1, 2, 4, 5, 1, 1, 1, 1}));
  EXPECT_EQ(step.output_shape({5}).error().code(), ErrorCode::unsupported);
  EXPECT_FALSE(step.output_shape({5, 0}));
  EXPECT_EQ(step.to_string(), "resize(shape=4x1)");
}

}  // namespace
}  // namespace stoker::array
