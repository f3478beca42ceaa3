// Samples of one component around a region, as the inverse transform leaves them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::jpeg {

// A view into the decoder's memory. Coordinates are those of the component: sample (0, 0) is its top left
// one, wherever the region lies. Readable and writable memory reaches at least one row above the first, one
// row below the last, one sample to the left, and kPlaneSlack bytes to the right of each row.
struct Plane {
  std::uint8_t* data = nullptr;  // sample (x, y)
  std::size_t stride = 0;
  int x = 0, y = 0;           // of the first sample held; multiples of the block size
  int width = 0, height = 0;  // samples held, whole blocks; may reach beyond the component's true size

  std::uint8_t* at(int column, int row) const {
    return data + static_cast<std::ptrdiff_t>(row - y) * static_cast<std::ptrdiff_t>(stride) + (column - x);
  }
};

inline constexpr std::size_t kPlaneSlack = 64;

}  // namespace stoker::jpeg
