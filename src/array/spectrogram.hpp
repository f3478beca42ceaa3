// Signals to pictures of time and frequency: spectrogram and mel.
#pragma once

#include <vector>

#include "array/power_spectra.hpp"
#include "array/step.hpp"

namespace stoker::array {

// Under the logarithm: less power counts as this much.
inline constexpr float kLogFloor = 1e-20F;

// What both have in common. Stored as float16 where `log`, else as float32, unless it is told.
struct SpectrumOptions {
  int window = 256;  // samples, even
  int hop = 64;      // samples
  bool log = true;   // the natural logarithm of max(power, kLogFloor)
  std::optional<StoredType> dtype;

  StoredType stored() const { return dtype.value_or(log ? StoredType::float16 : StoredType::float32); }
};

// spectrogram(window=256, hop=64, log=true, dtype=float16): [channels, samples] → [channels, window / 2 + 1,
// frames], each channel's power (PowerSpectra). Axes before the last stay as they are, however many.
class Spectrogram final : public Step {
 public:
  explicit Spectrogram(const SpectrumOptions& options);

  std::string to_string() const override;
  Result<Shape> output_shape(const Shape& input) const override;
  void run(const Shape& shape, std::span<const float> in, std::span<float> out) override;
  std::optional<StoredType> stored() const override { return options_.stored(); }

 private:
  const SpectrumOptions options_;
  PowerSpectra spectra_;
};

struct MelOptions {
  double rate = 0;  // samples a second
  int bands = 40;
  SpectrumOptions spectrum;
};

// A triangle over the bins of a spectrum, its peak 1.
struct MelBand {
  std::size_t first_bin = 0;
  std::vector<float> weights;
};
// Bands whose edges lie evenly on the mel scale 2595 log10(1 + f / 700) from 0 to rate / 2 (torchaudio's
// melscale_fbanks with its defaults). A band that is narrower than a bin may have no weights.
std::vector<MelBand> mel_bands(const MelOptions& options);

// mel(rate=256, bands=40, window=256, hop=64, log=true, dtype=float16): [channels, samples] → [channels,
// bands, frames]: the spectrogram's power, weighed and summed by mel_bands().
class Mel final : public Step {
 public:
  // Every band has weights.
  explicit Mel(const MelOptions& options);

  std::string to_string() const override;
  Result<Shape> output_shape(const Shape& input) const override;
  void run(const Shape& shape, std::span<const float> in, std::span<float> out) override;
  std::optional<StoredType> stored() const override { return options_.spectrum.stored(); }

 private:
  const MelOptions options_;
  PowerSpectra spectra_;
  const std::vector<MelBand> bands_;
};

}  // namespace stoker::array
