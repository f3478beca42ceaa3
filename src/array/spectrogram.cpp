#include "array/spectrogram.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/units.hpp"

namespace stoker::array {

namespace {

std::string text_of(const SpectrumOptions& options) {
  return fmt::format("window={}, hop={}, log={}, dtype={}", options.window, options.hop, options.log,
                     to_string(options.stored()));
}

Result<Shape> shape_of(const PowerSpectra& spectra, const Shape& input, std::size_t rows) {
  if (input.empty() || input.size() == kMaxAxes) {
    return fail(ErrorCode::unsupported, {.operation = "transform array",
                                         .found = fmt::format("an array of {} axes", input.size()),
                                         .allowed = "[channels, samples]"});
  }
  const Result<std::size_t> frames = spectra.frames(input.back());
  if (!frames) return tl::unexpected(frames.error());
  Shape output = input;
  output.back() = rows;
  output.push_back(*frames);
  return output;
}

// Makes [signals, rows, frames] of [signals, samples]: `column(power, to, frames)` fills the numbers of one
// frame, which lie `frames` apart.
template <class Column>
void each_frame(PowerSpectra& spectra, std::size_t samples, std::span<const float> in, std::size_t rows,
                std::span<float> out, Column&& column) {
  const std::size_t frames = 1 + (samples - spectra.window()) / spectra.hop();
  for (std::size_t signal = 0; signal < in.size() / samples; ++signal) {
    for (std::size_t frame = 0; frame < frames; ++frame) {
      const std::size_t from = signal * samples + frame * spectra.hop();
      column(spectra.run(in.subspan(from, spectra.window())), &out[signal * rows * frames + frame], frames);
    }
  }
}

float log_of(float power) { return std::log(std::max(power, kLogFloor)); }

}  // namespace

Spectrogram::Spectrogram(const SpectrumOptions& options)
    : options_(options), spectra_(options.window, options.hop) {}

std::string Spectrogram::to_string() const { return fmt::format("spectrogram({})", text_of(options_)); }

Result<Shape> Spectrogram::output_shape(const Shape& input) const {
  return shape_of(spectra_, input, spectra_.bins());
}

void Spectrogram::run(const Shape& shape, std::span<const float> in, std::span<float> out) {
  const auto column = [&](std::span<const float> power, float* to, std::size_t apart) {
    for (std::size_t bin = 0; bin < power.size(); ++bin)
      to[bin * apart] = options_.log ? log_of(power[bin]) : power[bin];
  };
  each_frame(spectra_, shape.back(), in, spectra_.bins(), out, column);
}

std::vector<MelBand> mel_bands(const MelOptions& options) {
  const int bins = options.spectrum.window / 2 + 1;
  const double highest = options.rate / 2;
  const auto edge = [&](int number) {
    const double mel = 2595 * std::log10(1 + highest / 700) * number / (options.bands + 1);
    return 700 * (std::pow(10, mel / 2595) - 1);
  };
  std::vector<MelBand> bands(static_cast<std::size_t>(options.bands));
  for (int band = 0; band < options.bands; ++band) {
    const double low = edge(band), centre = edge(band + 1), high = edge(band + 2);
    MelBand& made = bands[static_cast<std::size_t>(band)];
    for (int bin = 0; bin < bins; ++bin) {
      const double frequency = highest * bin / (bins - 1);
      const double weight =
          std::min((frequency - low) / (centre - low), (high - frequency) / (high - centre));
      if (weight <= 0) continue;
      if (made.weights.empty()) made.first_bin = static_cast<std::size_t>(bin);
      made.weights.push_back(static_cast<float>(weight));
    }
  }
  return bands;
}

Mel::Mel(const MelOptions& options)
    : options_(options),
      spectra_(options.spectrum.window, options.spectrum.hop),
      bands_(mel_bands(options)) {}

std::string Mel::to_string() const {
  return fmt::format("mel(rate={}, bands={}, {})", format_number(options_.rate), options_.bands,
                     text_of(options_.spectrum));
}

Result<Shape> Mel::output_shape(const Shape& input) const { return shape_of(spectra_, input, bands_.size()); }

void Mel::run(const Shape& shape, std::span<const float> in, std::span<float> out) {
  const auto column = [&](std::span<const float> power, float* to, std::size_t apart) {
    for (std::size_t band = 0; band < bands_.size(); ++band) {
      const MelBand& triangle = bands_[band];
      double sum = 0;  // of up to 65,537 numbers
      for (std::size_t i = 0; i < triangle.weights.size(); ++i)
        sum += static_cast<double>(triangle.weights[i]) * power[triangle.first_bin + i];
      const auto mel = static_cast<float>(sum);
      to[band * apart] = options_.spectrum.log ? log_of(mel) : mel;
    }
  };
  each_frame(spectra_, shape.back(), in, bands_.size(), out, column);
}

}  // namespace stoker::array
