// Many half-precision numbers at once.
#pragma once

#include <cstddef>
#include <span>

namespace stoker::array {

// `from` holds out.size() halves, little-endian, at any alignment. Exact: from_f16 of each.
void floats_from_halves(const std::byte* from, std::span<float> out);

}  // namespace stoker::array
