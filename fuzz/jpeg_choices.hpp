// Regions and seek points that the JPEG fuzzers choose at random.
#pragma once

#include <algorithm>
#include <array>

#include <hwy/highway.h>

#include "stoker/image.hpp"

#include "base/philox.hpp"
#include "jpeg/baseline_frame.hpp"
#include "jpeg/idct.hpp"
#include "jpeg/seek_points.hpp"

namespace stoker::fuzz {

inline int below(SampleRng& choices, int n) {
  return static_cast<int>(choices.below(static_cast<std::uint64_t>(n)));
}

// Confines Highway to one of the instruction sets that processor and build have.
inline void choose_instruction_set(SampleRng& choices) {
  auto targets = hwy::SupportedAndGeneratedTargets();
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
  // Of AVX-512's instructions MemorySanitizer knows some only as a whole: one unset lane, though nobody looks
  // at it, makes all lanes unset.
  std::erase_if(targets, [](std::int64_t target) { return target < HWY_AVX2; });
#endif
#endif
  hwy::SetSupportedTargetsForTest(targets[choices.below(targets.size())]);
}

// Every second one touches the picture's right or lower edge.
inline Rect random_region(int width, int height, SampleRng& choices) {
  Rect rect;
  rect.width = 1 + below(choices, width);
  rect.height = 1 + below(choices, height);
  rect.x = choices.below(4) == 0 ? width - rect.width : below(choices, width - rect.width + 1);
  rect.y = choices.below(4) == 0 ? height - rect.height : below(choices, height - rect.height + 1);
  return rect;
}

inline std::array<jpeg::BlockSize, 3> random_block_sizes(SampleRng& choices) {
  constexpr std::array kSizes{jpeg::BlockSize::full, jpeg::BlockSize::half, jpeg::BlockSize::quarter,
                              jpeg::BlockSize::eighth};
  std::array<jpeg::BlockSize, 3> sizes;
  for (jpeg::BlockSize& size : sizes) size = kSizes[choices.below(kSizes.size())];
  return sizes;
}

// Changes a few fields of points, by a little or to anything.
inline void damage_points(jpeg::SeekPoints& points, SampleRng& choices) {
  for (std::uint64_t changes = 1 + choices.below(3); changes > 0 && !points.points.empty(); --changes) {
    jpeg::SeekPoint& point = points.points[choices.below(points.points.size())];
    switch (choices.below(8)) {
      case 0:
        point.byte ^= 1u << choices.below(32);
        break;
      case 1:
        point.byte += static_cast<std::uint32_t>(choices.below(9)) - 4;
        break;
      case 2:
        point.bit = static_cast<std::uint8_t>(choices.below(choices.below(4) == 0 ? 256 : 8));
        break;
      case 3:
        point.dc[choices.below(3)] = static_cast<std::int16_t>(choices.next_u32());
        break;
      case 4: {  // of all that follow as well: consistent among themselves
        const std::size_t component = choices.below(3);
        const auto shift = static_cast<int>(choices.below(65)) - 32;
        for (jpeg::SeekPoint& each : points.points)
          each.dc[component] = static_cast<std::int16_t>(each.dc[component] + shift);
        break;
      }
      case 5:
        points.interval = below(choices, 70);
        break;
      case 6:
        points.complete = !points.complete;
        break;
      default:
        points.points.resize(choices.below(points.points.size() + 1));
        break;
    }
  }
}

// Points that no walk over the file made.
inline jpeg::SeekPoints invented_points(const jpeg::BaselineFrame& frame, std::size_t file_bytes,
                                        SampleRng& choices) {
  jpeg::SeekPoints points;
  points.interval = 1 + below(choices, 16);
  points.complete = choices.below(2) == 0;
  const auto count = static_cast<std::size_t>(1 + frame.mcus() / points.interval);
  std::uint64_t position = 8 * std::uint64_t{frame.scan_begin};
  const std::uint64_t left =
      8 * std::uint64_t{file_bytes} - std::min<std::uint64_t>(position, 8 * file_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    jpeg::SeekPoint point{
        static_cast<std::uint32_t>(position / 8), static_cast<std::uint8_t>(position % 8), {}};
    if (i > 0)
      for (std::int16_t& dc : point.dc) dc = static_cast<std::int16_t>(choices.below(256));
    points.points.push_back(point);
    position += 1 + choices.below(2 * left / count + 1);
  }
  return points;
}

}  // namespace stoker::fuzz
