// The SIMD loop of make_resize_axis: see there.
#pragma once

#include "image/resize_axis.hpp"
#include "image/resize_scale.hpp"

namespace stoker::image {

// Fills first, count and `rows` rows of weights of an axis whose arrays have their sizes.
void fill_weights_simd(const ResizeScale& scale, int rows, ResizeAxis& axis);

}  // namespace stoker::image
