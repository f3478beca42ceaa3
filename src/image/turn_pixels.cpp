#include "image/turn_pixels.hpp"

#include <algorithm>
#include <cstddef>

namespace stoker::image {

namespace {

constexpr int kTile = 32;  // pixels a side: a transposed picture's columns then stay in the cache

}  // namespace

RgbView turn_pixels(const RgbView& stored, const jpeg::Turn& turn, std::vector<std::uint8_t>& out) {
  const int width = turn.transposed ? stored.height : stored.width;
  const int height = turn.transposed ? stored.width : stored.height;
  const std::size_t stride = static_cast<std::size_t>(width) * 3;
  out.resize(stride * static_cast<std::size_t>(height));
  const auto copy_pixel = [&](int x, int y) {
    int u = turn.transposed ? y : x, v = turn.transposed ? x : y;
    if (turn.mirror_x) u = stored.width - 1 - u;
    if (turn.mirror_y) v = stored.height - 1 - v;
    const std::uint8_t* from =
        stored.data + static_cast<std::size_t>(v) * stored.stride + static_cast<std::size_t>(u) * 3;
    std::uint8_t* to = out.data() + static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x) * 3;
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
  };
  for (int top = 0; top < height; top += kTile) {
    for (int left = 0; left < width; left += kTile) {
      const int bottom = std::min(top + kTile, height), right = std::min(left + kTile, width);
      for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) copy_pixel(x, y);
      }
    }
  }
  return {out.data(), width, height, stride};
}

}  // namespace stoker::image
