#include "doctor/waveform.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace stoker::doctor {

namespace {

// What a driver would report of `busy(time)` (0 or 1): the busy share of each of its periods.
std::vector<GpuSample> sampled(double seconds, double every, const std::function<bool(double)>& busy) {
  std::vector<GpuSample> samples;
  for (int i = 1; i * every <= seconds; ++i) {
    double sum = 0;
    for (int step = 0; step < 50; ++step) sum += busy((i - 1 + step / 50.0) * every) ? 2 : 0;
    samples.push_back({.time_s = i * every, .percent = sum});
  }
  return samples;
}

std::function<bool(double)> square(double period, double duty) {
  return [=](double t) { return std::fmod(t, period) < duty * period; };
}

TEST(Waveform, PeriodAndDutyOfASquareWave) {
  for (const double period : {0.5, 0.9, 1.28, 3.0, 4.4})
    for (const double duty : {0.2, 0.5, 0.8}) {
      const Waveform wave = waveform_of(sampled(40, 1.0 / 6, square(period, duty)), 1.0 / 6);
      ASSERT_TRUE(wave.period_s.known()) << period << " " << duty << ": " << wave.period_s.why();
      EXPECT_NEAR(*wave.period_s, period, 0.08 * period) << duty;
      EXPECT_NEAR(*wave.duty_share, duty, 0.12) << period;
    }
}

TEST(Waveform, ASteadyCurveHasNoPeriod) {
  const Waveform wave = waveform_of(sampled(40, 1.0 / 6, [](double) { return true; }), 1.0 / 6);
  EXPECT_FALSE(wave.period_s.known());
  EXPECT_EQ(wave.period_s.why(), "no oscillation");
}

TEST(Waveform, NoiseHasNoPeriod) {
  std::mt19937 random(7);
  std::vector<GpuSample> samples;
  for (int i = 0; i < 400; ++i)
    samples.push_back({.time_s = i * 0.25, .percent = static_cast<double>(random() % 101)});
  EXPECT_FALSE(waveform_of(samples, {}).period_s.known());
}

TEST(Waveform, APeriodUnderTwoSamplesIsNotClaimed) {
  // Flips at each sample: the true period may be this or any fraction of it.
  std::vector<GpuSample> samples;
  for (int i = 0; i < 60; ++i) samples.push_back({.time_s = i * 1.0, .percent = i % 2 == 0 ? 100.0 : 0.0});
  const Waveform wave = waveform_of(samples, {});
  EXPECT_GE(wave.period_s.value_or(2), 2.0);
  // Faster than the driver renews its value: each sample holds many turns.
  EXPECT_FALSE(waveform_of(sampled(40, 1.0 / 6, square(0.04, 0.5)), 1.0 / 6).period_s.known());
}

TEST(Waveform, LogsThatPollFasterThanTheDriver) {
  // A value every 13 ms, new ones every 200 ms.
  std::vector<GpuSample> samples;
  for (int i = 0; i < 3000; ++i) {
    const double time = i * 0.013;
    samples.push_back(
        {.time_s = time, .percent = std::fmod(std::floor(time / 0.2) * 0.2, 2.0) < 1 ? 100.0 : 0.0});
  }
  const Waveform wave = waveform_of(samples, 0.2);
  ASSERT_TRUE(wave.period_s.known());
  EXPECT_NEAR(*wave.period_s, 2, 0.1);
}

TEST(Waveform, OneLongStepInFour) {
  // Four workers in order: four quick steps of .5 s, then a wait.
  const auto busy = [](double t) {
    const double turn = std::fmod(t, 4.0);
    return turn < 2.4 && std::fmod(turn, 0.6) < 0.35;
  };
  const Waveform wave = waveform_of(sampled(120, 0.1, busy), 0.1);
  ASSERT_TRUE(wave.period_s.known()) << wave.period_s.why();
  EXPECT_NEAR(*wave.period_s, 4.0, 0.2);
  EXPECT_EQ(wave.slow_one_in, 4);
  EXPECT_FALSE(waveform_of(sampled(120, 0.1, square(0.6, 0.6)), 0.1).slow_one_in.has_value());
}

TEST(Waveform, FewSamplesOrNone) {
  EXPECT_FALSE(waveform_of({}, {}).period_s.known());
  EXPECT_FALSE(waveform_of(sampled(1, 0.2, square(0.5, 0.5)), 0.2).period_s.known());
}

TEST(Waveform, TimesThatStandStill) {
  std::vector<GpuSample> samples(50);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].percent = i % 2 == 0 ? 0 : 100;
  EXPECT_FALSE(waveform_of(samples, {}).period_s.known());
}

TEST(Waveform, AGapOfYearsAllocatesNothingHuge) {
  std::vector<GpuSample> samples = sampled(40, 0.5, square(5, 0.5));
  samples.push_back({.time_s = 1e9, .percent = 0});
  const Waveform wave = waveform_of(samples, {});
  (void)wave;
}

}  // namespace

}  // namespace stoker::doctor
