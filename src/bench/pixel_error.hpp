// How far pixels lie from those that they stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "image/resize.hpp"

namespace stoker::bench {

// Over every sample (0..255) of all pictures. PSNR: 10 log10(255² / mean squared error), infinite where
// nothing differs.
struct PixelError {
  double mean = 0;  // absolute
  int max = 0;
  double psnr_db = 0;
  double worst_psnr_db = 0;  // of the picture with the lowest
  std::string worst_key;     // that picture
};

bool same_pixels(const image::RgbView& a, const image::RgbView& b);

// Adds up the error of pictures, one after another.
class PixelErrorSum {
 public:
  // `key` names the picture.
  void add(const std::string& key, const image::RgbView& pixels, const image::RgbView& wanted);
  // Every pixel of every picture was equal.
  bool exact() const { return !shapes_differ_ && max_ == 0; }
  // None where two pictures were of different shape, or there was none.
  std::optional<PixelError> error() const;

 private:
  bool shapes_differ_ = false;
  std::uint64_t samples_ = 0, sum_ = 0, squares_ = 0;
  int max_ = 0;
  double worst_mean_square_ = -1;
  std::string worst_key_;
};

}  // namespace stoker::bench
