// The maker of sample data of a few classes that a small network can learn and a linear model cannot: real
// JPEGs, or arrays.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stoker::bench {

inline constexpr int kSynthMinClasses = 2;
inline constexpr int kSynthMaxClasses = 24;  // 8 shapes, each with 3 of the 5 kinds of surface
inline constexpr int kSynthMinSide = 32;     // pixels; below it a shape's corners are gone
inline constexpr int kSynthMaxSide = 4096;
inline constexpr int kSynthMaxImages = 1'000'000;  // of each class

// One in five images of each class goes to val (at least one).
inline constexpr int kSynthValShare = 5;

// eeg: .npy files of 20 channels in float32, 256 samples a second (synth_eeg.hpp).
enum class SynthKind { images, eeg };

struct SynthOptions {
  std::string directory;  // gets train/CLASS/* and val/CLASS/*; must hold neither train nor val yet
  SynthKind kind = SynthKind::images;
  int classes = 5;   // 2..24; of EEGs 2..5
  int images = 300;  // or EEGs, of each class, train and val together; at least 2
  int width = 320;   // pixels, 32..4096
  int height = 240;
  int samples = 2560;  // of each channel of an EEG, 64..1,000,000
  std::uint64_t seed = 0;
  int threads = 0;  // 0: the CPUs that may be used; the files are the same for any number
};

struct SynthReport {
  std::vector<std::string> classes;  // folder names, by label
  std::uint64_t train_images = 0;
  std::uint64_t val_images = 0;
  std::uint64_t bytes = 0;
  double wall_s = 0;
};

// done, total. Called from the calling thread, at most ten times a second.
using SynthProgressCallback = std::function<void(std::uint64_t, std::uint64_t)>;

// Writes the sample set, whole or not at all: train and val appear once every file is written. Every pixel or
// number is a function of (seed, class, image).
// Errors: invalid_argument (an option out of range, or of the other kind; a directory that already holds
// train or val), io, out_of_resources, cancelled.
SynthReport make_sample_images(const SynthOptions& options, const SynthProgressCallback& progress = {},
                               const std::atomic<bool>* cancel = nullptr);

}  // namespace stoker::bench
