// YCbCr → RGB on values of kBetweenBits, in 16 bits: each factor of JFIF as a whole number and a rest of 15
// fraction bits.
#pragma once

#include <cstdint>

#include "image/planar_kernels.hpp"

namespace stoker::image {

constexpr std::int16_t fraction15(double factor) {
  return static_cast<std::int16_t>(factor * 32768 + (factor < 0 ? -0.5 : 0.5));
}
// Source: JFIF 1.02. Red: 1.402 Cr; green: -0.344136 Cb - 0.714136 Cr; blue: 1.772 Cb.
inline constexpr std::int16_t kRedOfCr = fraction15(1.402 - 1);
inline constexpr std::int16_t kGreenOfCb = fraction15(-0.344136);
inline constexpr std::int16_t kGreenOfCr = fraction15(-0.714136);
inline constexpr std::int16_t kBlueOfCb = fraction15(1.772 - 2);

}  // namespace stoker::image
