// The few marker facts of JPEG files that a packer needs without decoding.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stoker::packing {

// Whether an end-of-image marker stands behind the first start of scan. A file without one was cut short.
// Cost: two bytes are looked at in an intact file that ends with the marker.
bool has_end_of_image(std::span<const std::byte> jpeg);

// A TIFF block of one tag, Orientation (1..8), as EXIF readers expect it. Source: EXIF 2.32, 4.6.4 A (tag
// 0x0112).
std::vector<std::byte> exif_with_orientation(int orientation);

// `jpeg` with an APP1 segment of that block behind its JFIF header, so that a reader that turns pictures
// upright still does.
void insert_orientation(std::span<const std::byte> jpeg, int orientation, std::vector<std::byte>& out);

}  // namespace stoker::packing
