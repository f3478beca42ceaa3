// What an EXIF orientation asks for, as mirrors and an exchange of rows and columns.
#pragma once

namespace stoker::jpeg {

// The upright picture's pixel (x, y) is the stored one's at (u, v) = transposed ? (y, x) : (x, y), counted
// from the right where mirror_x, from below where mirror_y.
struct Turn {
  bool transposed = false;
  bool mirror_x = false;
  bool mirror_y = false;

  bool any() const { return transposed || mirror_x || mirror_y; }
};

// `orientation`: 1..8, anything else is none. Source: EXIF 2.32 table 5 (tag 0x0112).
constexpr Turn turn_of(int orientation) {
  switch (orientation) {
    case 2:
      return {.mirror_x = true};
    case 3:
      return {.mirror_x = true, .mirror_y = true};
    case 4:
      return {.mirror_y = true};
    case 5:
      return {.transposed = true};
    case 6:
      return {.transposed = true, .mirror_y = true};
    case 7:
      return {.transposed = true, .mirror_x = true, .mirror_y = true};
    case 8:
      return {.transposed = true, .mirror_x = true};
    default:
      return {};
  }
}

}  // namespace stoker::jpeg
