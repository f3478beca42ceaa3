// The orientation in an EXIF block, told and set, in bytes that may be anything.
#pragma once

#include <cstddef>
#include <span>

namespace stoker::jpeg {

// EXIF's orientation 1..8; 1 where the block is broken, lacks the tag or holds another value: broken metadata
// never costs an image. `tiff` begins at the byte order mark ("II" or "MM"), behind "Exif\0\0". Source:
// TIFF 6.0 section 2; EXIF 2.32 table 4 (tag 0x0112, SHORT, in IFD0).
int exif_orientation(std::span<const std::byte> tiff);

// Makes an orientation that exif_orientation() tells 1, in place; all else stays.
void set_exif_upright(std::span<std::byte> tiff);

}  // namespace stoker::jpeg
