// CMYK inks → RGB light.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::jpeg {

// `inks`: pixels of four bytes as libjpeg gives them from a JPEG, where CMYK is stored inverted (255 = no
// ink), as Adobe writes it. R = C·K/255, rounded to nearest: what Pillow's convert("RGB") gives, which takes
// every CMYK JPEG so.
void inverted_cmyk_to_rgb(const std::uint8_t* inks, std::size_t pixels, std::uint8_t* rgb);

}  // namespace stoker::jpeg
