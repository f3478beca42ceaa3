// Half-precision numbers, as their bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace stoker {

// To nearest, ties to even; what is too large becomes infinity.
inline std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 16 & 0x8000);
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude >= 0x7F800000) {  // infinity, or not a number
    return static_cast<std::uint16_t>(sign | 0x7C00 | (magnitude > 0x7F800000 ? 0x200 : 0));
  }
  if (magnitude >= 0x477FF000)
    return static_cast<std::uint16_t>(sign | 0x7C00);  // 65520 and more round to infinity
  if (magnitude < 0x38800000) {                        // below 2^-14: a multiple of 2^-24
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(scaled)));
  }
  const std::uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | (rounded - 0x38000000) >> 13);
}

// Exact.
inline float from_f16(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, magnitude = half & 0x7FFFU;
  // The exponents' biases differ by 112. The product is exact, also of numbers below 2^-14.
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  const std::uint32_t other = 0x7F800000U | (magnitude & 0x3FFU) << 13;  // infinity, or not a number
  return std::bit_cast<float>(sign | (magnitude >= 0x7C00U ? other : finite));
}

}  // namespace stoker
