// A DecodeSpec made definite for one picture: which pixels are decoded, and where they go.
#pragma once

#include "stoker/image.hpp"

#include "base/result.hpp"

namespace stoker::image {

struct DecodePlan {
  Rect crop;    // of the picture
  Size target;  // of the crop after its resize
  bool resizes = false;
  Rect window;   // of the target: what comes out
  Rect visible;  // the window's part inside the target; may be empty
  Rect source;   // of the picture: what must be decoded for it; empty where nothing is visible

  bool is_empty() const { return visible.width == 0 || visible.height == 0; }
};

// Errors: invalid_argument (a crop outside the picture, a side below 1), out_of_resources (a window of more
// than max_pixels).
Result<DecodePlan> make_plan(Size picture, const DecodeSpec& spec);

}  // namespace stoker::image
