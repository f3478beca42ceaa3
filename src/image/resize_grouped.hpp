// The horizontal pass for processors that permute 64 bytes (AVX-512 VBMI) and sum byte products (VNNI):
// where use_avx512_loops().
#pragma once

#include <cstddef>
#include <cstdint>

#include "image/resize_kernels.hpp"

namespace stoker::image::grouped {

// As plan_horizontal; false where the axis does not fit this way (its scale is too large), and then `reach`
// is unset.
bool plan(const ResizeAxis& axis, int source_x, HorizontalPlan& plan, std::size_t& reach);

// As horizontal_rows_simd, for a plan made by plan().
void horizontal_rows(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                     std::uint8_t* const* outs);

}  // namespace stoker::image::grouped
