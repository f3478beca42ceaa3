#include "bench/pixel_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace stoker::bench {

namespace {

double psnr_db(double mean_square) {
  constexpr double kPeak = 255;
  return 10 * std::log10(kPeak * kPeak / mean_square);
}

const std::uint8_t* row_of(const image::RgbView& view, int y) {
  return view.data + static_cast<std::size_t>(y) * view.stride;
}

}  // namespace

bool same_pixels(const image::RgbView& a, const image::RgbView& b) {
  if (a.width != b.width || a.height != b.height) return false;
  for (int y = 0; y < a.height; ++y) {
    if (std::memcmp(row_of(a, y), row_of(b, y), static_cast<std::size_t>(a.width) * 3) != 0) return false;
  }
  return true;
}

void PixelErrorSum::add(const std::string& key, const image::RgbView& pixels, const image::RgbView& wanted) {
  if (pixels.width != wanted.width || pixels.height != wanted.height) {
    shapes_differ_ = true;
    return;
  }
  const auto row_samples = static_cast<std::size_t>(pixels.width) * 3;
  std::uint64_t squares = 0;
  if (!same_pixels(pixels, wanted)) {
    for (int y = 0; y < pixels.height; ++y) {
      const std::uint8_t* a = row_of(pixels, y);
      const std::uint8_t* b = row_of(wanted, y);
      for (std::size_t x = 0; x < row_samples; ++x) {
        const int off = std::abs(a[x] - b[x]);
        sum_ += static_cast<std::uint64_t>(off);
        squares += static_cast<std::uint64_t>(off * off);
        max_ = std::max(max_, off);
      }
    }
  }
  const std::uint64_t samples = row_samples * static_cast<std::uint64_t>(pixels.height);
  samples_ += samples;
  squares_ += squares;
  const double mean_square = static_cast<double>(squares) / static_cast<double>(samples);
  if (mean_square > worst_mean_square_) {
    worst_mean_square_ = mean_square;
    worst_key_ = key;
  }
}

std::optional<PixelError> PixelErrorSum::error() const {
  if (shapes_differ_ || samples_ == 0) return std::nullopt;
  const auto samples = static_cast<double>(samples_);
  return PixelError{.mean = static_cast<double>(sum_) / samples,
                    .max = max_,
                    .psnr_db = psnr_db(static_cast<double>(squares_) / samples),
                    .worst_psnr_db = psnr_db(worst_mean_square_),
                    .worst_key = worst_key_};
}

}  // namespace stoker::bench
