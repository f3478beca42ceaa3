#include "array/power_spectra.hpp"

#include <cmath>
#include <fmt/format.h>
#include <kiss_fftr.h>
#include <new>
#include <numbers>

namespace stoker::array {

struct PowerSpectra::Transform {
  explicit Transform(std::size_t window)
      : state(kiss_fftr_alloc(static_cast<int>(window), 0, nullptr, nullptr)), spectrum(window / 2 + 1) {
    if (state == nullptr) throw std::bad_alloc();
  }
  ~Transform() { kiss_fftr_free(state); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  kiss_fftr_cfg state;
  std::vector<kiss_fft_cpx> spectrum;
};

PowerSpectra::PowerSpectra(int window, int hop)
    : hop_(static_cast<std::size_t>(hop)),
      weights_(static_cast<std::size_t>(window)),
      weighted_(weights_.size()),
      power_(bins()),
      transform_(std::make_unique<Transform>(weights_.size())) {
  const auto weight = [&](std::size_t n) {
    return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(n) / window);
  };
  double squares = 0;
  for (std::size_t n = 0; n < weights_.size(); ++n) squares += weight(n) * weight(n);
  for (std::size_t n = 0; n < weights_.size(); ++n)
    weights_[n] = static_cast<float>(weight(n) / std::sqrt(squares));
}

PowerSpectra::~PowerSpectra() = default;

Result<std::size_t> PowerSpectra::frames(std::size_t samples) const {
  if (samples >= window()) return 1 + (samples - window()) / hop_;
  return fail(
      ErrorCode::unsupported,
      {.operation = "transform array",
       .found = fmt::format("{} samples on the last axis, less than a window of {}", samples, window()),
       .allowed = "arrays of [channels, samples]",
       .next_step = "take a smaller window, or save array.T where the axes are exchanged"});
}

std::span<const float> PowerSpectra::run(std::span<const float> samples) {
  for (std::size_t n = 0; n < window(); ++n) weighted_[n] = samples[n] * weights_[n];
  kiss_fftr(transform_->state, weighted_.data(), transform_->spectrum.data());
  for (std::size_t k = 0; k < bins(); ++k) {
    const kiss_fft_cpx value = transform_->spectrum[k];
    power_[k] = value.r * value.r + value.i * value.i;
  }
  return power_;
}

}  // namespace stoker::array
