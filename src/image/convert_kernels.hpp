// The SIMD loops of convert(): see there.
#pragma once

#include "image/convert.hpp"

namespace stoker::image {

// Converts a row and returns its width, or 0 where the row is shorter than a vector and was left alone.
// `planes`: where the row's numbers go, three places (nchw), or one (nhwc). `row` is the row's first pixel;
// with `flip` output pixel i is input pixel width - 1 - i.
std::size_t convert_row_simd(const std::uint8_t* row, std::size_t width, bool flip, const ConvertTable& table,
                             Layout layout, std::byte* const* planes);

}  // namespace stoker::image
