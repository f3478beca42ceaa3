#include <algorithm>
#include <limits>

#include "image/planar_colour.hpp"
#include "image/planar_kernels.hpp"

namespace stoker::image::scalar {

namespace {

std::int16_t saturated(int value) {
  using Limits = std::numeric_limits<std::int16_t>;
  return static_cast<std::int16_t>(std::clamp<int>(value, Limits::min(), Limits::max()));
}
std::int16_t add(std::int16_t a, std::int16_t b) { return saturated(a + b); }
std::int16_t multiply(std::int16_t a, std::int16_t b) {
  return static_cast<std::int16_t>((a * b + (1 << 14)) >> 15);
}

std::uint8_t sample(std::int16_t value) {
  return static_cast<std::uint8_t>(std::clamp(value >> kBetweenBits, 0, 255));
}

}  // namespace

void planar_across(const PlanarAxis& axis, int bias, const std::uint8_t* source, std::int16_t* out) {
  for (int i = 0; i < axis.size(); ++i) {
    const std::uint8_t* from = source + axis.first[static_cast<std::size_t>(i)];
    int sum = planar_start(bias);
    for (int tap = 0; tap < axis.count[static_cast<std::size_t>(i)]; ++tap)
      sum += from[tap] * axis.weight(i, tap);
    out[i] = saturated(sum >> kAcrossShift);
  }
}

void planar_down(const PlanarTaps& taps, std::size_t width, std::int16_t* out) {
  for (std::size_t x = 0; x < width; ++x) {
    std::int16_t sum = multiply(taps.rows[0][x], taps.weights[0]);
    for (int tap = 1; tap < taps.count; ++tap) sum = add(sum, multiply(taps.rows[tap][x], taps.weights[tap]));
    out[x] = taps.halved ? add(sum, sum) : sum;
  }
}

void planar_colour(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width,
                   std::uint8_t* rgb) {
  for (std::size_t x = 0; x < width; ++x) {
    const std::int16_t y = channels[0][x];
    if (colour != jpeg::Colour::ycbcr) {
      for (int channel = 0; channel < 3; ++channel)
        *rgb++ = sample(colour == jpeg::Colour::gray ? y : channels[channel][x]);
      continue;
    }
    const std::int16_t cb = channels[1][x], cr = channels[2][x];
    *rgb++ = sample(add(add(y, cr), multiply(cr, kRedOfCr)));
    *rgb++ = sample(add(add(y, multiply(cb, kGreenOfCb)), multiply(cr, kGreenOfCr)));
    *rgb++ = sample(add(add(y, add(cb, cb)), multiply(cb, kBlueOfCb)));
  }
}

}  // namespace stoker::image::scalar
