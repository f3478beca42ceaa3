// Pixels upright, as an EXIF orientation asks for it.
#pragma once

#include <cstdint>
#include <vector>

#include "image/resize.hpp"
#include "jpeg/turn.hpp"

namespace stoker::image {

// The turned picture, in `out`. Shape: sides exchanged where the turn is transposed; rows without gaps.
RgbView turn_pixels(const RgbView& stored, const jpeg::Turn& turn, std::vector<std::uint8_t>& out);

}  // namespace stoker::image
