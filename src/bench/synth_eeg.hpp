// One recording of the sample set: an EEG of 20 channels whose class is the band that has most power.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::bench {

inline constexpr int kEegChannels = 20;
inline constexpr int kEegRate = 256;  // samples a second
inline constexpr int kEegMaxClasses = 5;
inline constexpr int kEegMinSamples = 64, kEegMaxSamples = 1'000'000;

// The bands by label, their names sorted: alpha, beta, delta, gamma, theta. 2 <= count <= kEegMaxClasses.
std::vector<std::string> eeg_classes(int count);

// Recording `number` of a class. Frequencies (within their bands), phases, how strongly each channel sees
// each band, background, hum of the mains and gain are functions of (seed, class, number). Shape:
// kEegChannels × samples. Units: microvolts.
std::vector<float> draw_eeg(int label, int samples, std::uint64_t seed, std::uint64_t number);

}  // namespace stoker::bench
