#include "bench/synth_eeg.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "base/philox.hpp"

namespace stoker::bench {

namespace {

struct Band {
  const char* name;
  double low_hz, high_hz;
};
// Sorted by name.
constexpr std::array<Band, kEegMaxClasses> kBands{
    {{"alpha", 8, 13}, {"beta", 13, 30}, {"delta", 1, 4}, {"gamma", 32, 45}, {"theta", 4, 8}}};
constexpr double kMainsHz = 50;
constexpr std::uint32_t kScalpStep = 0;      // of SampleRng: what the channels share
constexpr std::uint32_t kChannelSteps = 16;  // from here on, one for each channel

// One band's rhythm, which waxes and wanes.
struct Rhythm {
  double hz, phase, swing_hz, swing_phase, amplitude;

  double swing(double seconds) const {
    return amplitude * (0.7 + 0.3 * std::sin(2 * std::numbers::pi * swing_hz * seconds + swing_phase));
  }
};

std::array<Rhythm, kEegMaxClasses> draw_rhythms(SampleRng& rng, int label) {
  std::array<Rhythm, kEegMaxClasses> rhythms{};
  for (std::size_t band = 0; band < rhythms.size(); ++band) {
    const bool own = static_cast<int>(band) == label;
    rhythms[band] = {.hz = rng.uniform(kBands[band].low_hz, kBands[band].high_hz),
                     .phase = rng.uniform(0, 2 * std::numbers::pi),
                     .swing_hz = rng.uniform(0.05, 0.5),
                     .swing_phase = rng.uniform(0, 2 * std::numbers::pi),
                     .amplitude = own ? rng.uniform(11, 16) : rng.uniform(0, 6.5)};
  }
  return rhythms;
}

// About normal, of variance 1: four uniform numbers of 16 bits each.
float noise_of(SampleRng& rng) {
  const std::uint64_t bits = rng.next_u64();
  const std::uint64_t sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
  return (static_cast<float>(sum) * 0x1p-16F - 2.0F) * 1.7320508F;
}

}  // namespace

std::vector<std::string> eeg_classes(int count) {
  std::vector<std::string> names;
  for (int label = 0; label < count; ++label)
    names.emplace_back(kBands[static_cast<std::size_t>(label)].name);
  return names;
}

std::vector<float> draw_eeg(int label, int samples, std::uint64_t seed, std::uint64_t number) {
  const auto length = static_cast<std::size_t>(samples);
  const auto epoch = static_cast<std::uint64_t>(label);
  SampleRng scalp(seed, epoch, number, kScalpStep);
  const std::array<Rhythm, kEegMaxClasses> rhythms = draw_rhythms(scalp, label);
  const double gain = scalp.uniform(0.5, 2), mains_phase = scalp.uniform(0, 2 * std::numbers::pi);
  // Each rhythm and, last, the mains: in phase, and a quarter of a turn later. A channel sees a mixture.
  constexpr std::size_t kSources = kEegMaxClasses + 1;
  std::vector<std::array<float, 2 * kSources>> sources(length);
  for (std::size_t n = 0; n < length; ++n) {
    const double seconds = static_cast<double>(n) / kEegRate;
    for (std::size_t s = 0; s < kSources; ++s) {
      const bool mains = s == kEegMaxClasses;
      const double hz = mains ? kMainsHz : rhythms[s].hz, phase = mains ? mains_phase : rhythms[s].phase;
      const double strength = mains ? 4 : rhythms[s].swing(seconds);
      const double angle = 2 * std::numbers::pi * hz * seconds + phase;
      sources[n][2 * s] = static_cast<float>(strength * std::cos(angle));
      sources[n][2 * s + 1] = static_cast<float>(strength * std::sin(angle));
    }
  }
  std::vector<float> out(kEegChannels * length);
  for (std::uint32_t channel = 0; channel < kEegChannels; ++channel) {
    SampleRng rng(seed, epoch, number, kChannelSteps + channel);
    std::array<float, 2 * kSources> weights{};
    for (std::size_t s = 0; s < kSources; ++s) {
      const double seen = rng.uniform(0.2, 1) * gain, turn = rng.uniform(-1, 1);
      weights[2 * s] = static_cast<float>(seen * std::cos(turn));
      weights[2 * s + 1] = static_cast<float>(seen * std::sin(turn));
    }
    const auto grain = static_cast<float>(gain);
    float drift = 0;  // a background whose power falls with the frequency
    float* to = out.data() + channel * length;
    for (std::size_t n = 0; n < length; ++n) {
      drift = 0.97F * drift + 2.0F * grain * noise_of(rng);
      float value = drift + 2.0F * grain * noise_of(rng);
      for (std::size_t i = 0; i < weights.size(); ++i) value += weights[i] * sources[n][i];
      to[n] = value;
    }
  }
  return out;
}

}  // namespace stoker::bench
