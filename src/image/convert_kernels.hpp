// The SIMD loops of convert(): see there.
#pragma once

#include "image/convert.hpp"

namespace stoker::image {

// Converts as many pixels of a row as it can in whole vectors, beginning with the first that it writes, and
// returns how many those are. `planes`: where the row's numbers go, three places (nchw), or one (nhwc). `row`
// is the row's first pixel; with `flip` output pixel i is input pixel width - 1 - i.
std::size_t convert_row_simd(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table,
                             Layout layout, std::byte* const* planes);

}  // namespace stoker::image
