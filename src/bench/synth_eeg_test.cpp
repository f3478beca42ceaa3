#include "bench/synth_eeg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "array/spectrogram.hpp"

namespace stoker::bench {
namespace {

constexpr int kSamples = 1280;

TEST(SynthEeg, NamesAreSorted) {
  EXPECT_THAT(eeg_classes(5), testing::ElementsAre("alpha", "beta", "delta", "gamma", "theta"));
  EXPECT_THAT(eeg_classes(2), testing::ElementsAre("alpha", "beta"));
}

TEST(SynthEeg, IsAFunctionOfSeedClassAndNumber) {
  const std::vector<float> one = draw_eeg(1, kSamples, 5, 7);
  ASSERT_EQ(one.size(), 20U * kSamples);
  EXPECT_EQ(draw_eeg(1, kSamples, 5, 7), one);
  EXPECT_NE(draw_eeg(2, kSamples, 5, 7), one);
  EXPECT_NE(draw_eeg(1, kSamples, 6, 7), one);
  EXPECT_NE(draw_eeg(1, kSamples, 5, 8), one);
}

TEST(SynthEeg, ALongerRecordingBeginsAsAShorterOne) {
  const std::vector<float> one = draw_eeg(0, kSamples, 0, 0), longer = draw_eeg(0, 2 * kSamples, 0, 0);
  for (std::size_t channel : {0U, 19U}) {
    const auto at = static_cast<std::ptrdiff_t>(channel * kSamples);
    EXPECT_TRUE(std::equal(one.begin() + at, one.begin() + at + kSamples, longer.begin() + 2 * at));
  }
}

TEST(SynthEeg, IsOfAnEegsSize) {
  for (int label = 0; label < kEegMaxClasses; ++label) {
    const std::vector<float> eeg = draw_eeg(label, kSamples, 0, 3);
    double squares = 0, largest = 0;
    for (const float value : eeg) {
      squares += static_cast<double>(value) * value;
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    const double rms = std::sqrt(squares / static_cast<double>(eeg.size()));
    EXPECT_GT(rms, 3) << label;
    EXPECT_LT(rms, 60) << label;
    EXPECT_LT(largest, 300) << label;
  }
}

constexpr std::array<std::pair<double, double>, kEegMaxClasses> kBands{
    {{8, 13}, {13, 30}, {1, 4}, {32, 45}, {4, 8}}};

// Mean power of each band over all channels, in logarithms, without the gain.
std::array<double, kEegMaxClasses> band_power(const std::vector<float>& eeg) {
  array::Spectrogram step({.window = kEegRate, .hop = kEegRate / 2, .log = false});
  const array::Shape shape{kEegChannels, kSamples};
  const array::Shape output = step.output_shape(shape).value();
  std::vector<float> power(array::count_of(output));
  step.run(shape, eeg, power);
  std::array<double, kEegMaxClasses> bands{};
  for (std::size_t channel = 0; channel < kEegChannels; ++channel) {
    for (std::size_t bin = 0; bin < output[1]; ++bin) {  // of 1 Hz
      for (std::size_t band = 0; band < bands.size(); ++band) {
        const auto hz = static_cast<double>(bin);
        if (hz < kBands[band].first || hz >= kBands[band].second) continue;
        for (std::size_t frame = 0; frame < output[2]; ++frame)
          bands[band] += power[(channel * output[1] + bin) * output[2] + frame];
      }
    }
  }
  double mean = 0;
  for (double& band : bands) mean += (band = std::log(band)) / kEegMaxClasses;
  for (double& band : bands) band -= mean;
  return bands;
}

// Chance is 0.2. Nearest mean of 30 recordings a class, on 10 others.
TEST(SynthEeg, BandPowerTellsTheClass) {
  constexpr int kTrain = 30, kVal = 10;
  std::array<std::array<double, kEegMaxClasses>, kEegMaxClasses> means{};
  for (int label = 0; label < kEegMaxClasses; ++label) {
    for (std::uint64_t number = 0; number < kTrain; ++number) {
      const auto bands = band_power(draw_eeg(label, kSamples, 0, number));
      for (std::size_t band = 0; band < bands.size(); ++band)
        means[static_cast<std::size_t>(label)][band] += bands[band] / kTrain;
    }
  }
  int right = 0;
  for (int label = 0; label < kEegMaxClasses; ++label) {
    for (std::uint64_t number = kTrain; number < kTrain + kVal; ++number) {
      const auto bands = band_power(draw_eeg(label, kSamples, 0, number));
      std::array<double, kEegMaxClasses> distance{};
      for (std::size_t k = 0; k < means.size(); ++k)
        for (std::size_t band = 0; band < bands.size(); ++band)
          distance[k] += (bands[band] - means[k][band]) * (bands[band] - means[k][band]);
      right += std::min_element(distance.begin(), distance.end()) - distance.begin() == label;
    }
  }
  EXPECT_GT(right, 0.85 * kEegMaxClasses * kVal);
}

// What is drawn has no mean waveform: one number after another tells nothing of the class.
TEST(SynthEeg, TheMeanRecordingTellsNothing) {
  constexpr int kCount = 40;
  std::vector<double> mean(kSamples);
  for (std::uint64_t number = 0; number < kCount; ++number) {
    const std::vector<float> eeg = draw_eeg(0, kSamples, 0, number);
    for (std::size_t n = 0; n < mean.size(); ++n) mean[n] += eeg[n] / kCount;
  }
  const std::vector<float> single = draw_eeg(0, kSamples, 0, 0);
  double squares = 0, squares_single = 0;
  for (std::size_t n = 0; n < mean.size(); ++n) {
    squares += mean[n] * mean[n];
    squares_single += static_cast<double>(single[n]) * single[n];
  }
  EXPECT_LT(squares, 0.2 * squares_single) << "40 waves of any phase nearly cancel";
}

}  // namespace
}  // namespace stoker::bench
