#include "jpeg/ink.hpp"

namespace stoker::jpeg {

namespace {

// a·b/255 to nearest, for bytes: exact (test: all 65,536 pairs); half-way cases do not exist, since 255 is
// odd.
std::uint8_t product(unsigned a, unsigned b) {
  const unsigned rounded = a * b + 128;
  return static_cast<std::uint8_t>((rounded + (rounded >> 8)) >> 8);
}

}  // namespace

void inverted_cmyk_to_rgb(const std::uint8_t* inks, std::size_t pixels, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const unsigned black = inks[4 * i + 3];
    rgb[3 * i + 0] = product(inks[4 * i + 0], black);
    rgb[3 * i + 1] = product(inks[4 * i + 1], black);
    rgb[3 * i + 2] = product(inks[4 * i + 2], black);
  }
}

}  // namespace stoker::jpeg
