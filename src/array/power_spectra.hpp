// The power spectra of one signal, frame by frame.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace stoker::array {

inline constexpr int kMinWindow = 8, kMaxWindow = 65536;  // samples; even

// Frame f is the samples f * hop … f * hop + window - 1; samples behind the last whole frame are left out,
// and nothing is padded. With the periodic Hann window w[n] = 0.5 - 0.5 cos(2 pi n / window), bin k of a
// frame is
//   |sum over n of x[n] w[n] exp(-2 pi i k n / window)|^2 / (sum over n of w[n]^2),
// so that noise of variance 1 gives 1 on average, whatever the window. In NumPy:
//   frames = numpy.lib.stride_tricks.sliding_window_view(x, window, axis=-1)[..., ::hop, :]
//   power = abs(numpy.fft.rfft(frames * w))**2 / sum(w**2)
// Computed in single precision: the square root of a bin is off by at most 1e-6 of the largest of its frame.
// Threads: one at a time.
class PowerSpectra {
 public:
  // `window` is even, within kMinWindow and kMaxWindow; 1 <= hop <= window.
  PowerSpectra(int window, int hop);
  ~PowerSpectra();

  std::size_t window() const { return weights_.size(); }
  std::size_t hop() const { return hop_; }
  std::size_t bins() const { return window() / 2 + 1; }
  // Errors: unsupported (fewer samples than a window).
  Result<std::size_t> frames(std::size_t samples) const;

  // The power of one frame, whose window() samples these are. Shape: bins(), valid until the next call.
  std::span<const float> run(std::span<const float> samples);

 private:
  struct Transform;  // what the FFT library keeps

  const std::size_t hop_;
  std::vector<float> weights_;  // the window, its square sum 1
  std::vector<float> weighted_;
  std::vector<float> power_;
  std::unique_ptr<Transform> transform_;
};

}  // namespace stoker::array
