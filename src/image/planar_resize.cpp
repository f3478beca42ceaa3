#include "image/planar_resize.hpp"

#include <algorithm>

namespace stoker::image {

namespace {

// A component's samples a pixel, as a fraction.
struct Ratio {
  int samples, pixels;
};
Ratio ratio_across(const jpeg::BaselineFrame& frame, int component, jpeg::BlockSize size) {
  return {frame.component[static_cast<std::size_t>(component)].h * static_cast<int>(size), frame.mcu_width()};
}
Ratio ratio_down(const jpeg::BaselineFrame& frame, int component, jpeg::BlockSize size) {
  return {frame.component[static_cast<std::size_t>(component)].v * static_cast<int>(size),
          frame.mcu_height()};
}

// Samples lie in the middle of the pixels that they stand for (JFIF 1.02), so a box is merely scaled.
PlanarBox box_of(int begin, int length, Ratio ratio) {
  const double scale = static_cast<double>(ratio.samples) / ratio.pixels;
  return {begin * scale, length * scale};
}

bool covers(int samples_of, Ratio ratio, int target) {
  return std::int64_t{samples_of} * ratio.samples >= std::int64_t{target} * ratio.pixels;
}

}  // namespace

std::array<jpeg::BlockSize, 3> planar_sizes(const jpeg::BaselineFrame& frame, const Rect& crop, Size target) {
  using jpeg::BlockSize;
  std::array<BlockSize, 3> sizes{BlockSize::full, BlockSize::full, BlockSize::full};
  for (int c = 0; c < frame.components; ++c) {
    for (const BlockSize size : {BlockSize::half, BlockSize::quarter, BlockSize::eighth}) {
      if (!covers(crop.width, ratio_across(frame, c, size), target.width) ||
          !covers(crop.height, ratio_down(frame, c, size), target.height)) {
        break;
      }
      sizes[static_cast<std::size_t>(c)] = size;
    }
  }
  return sizes;
}

// The pixels that a component's samples stand for.
Rect PlanarResizer::pixels_of(const jpeg::BaselineFrame& frame, int component, jpeg::BlockSize size,
                              const PlanarAxis& across, const PlanarAxis& down) {
  const auto first = [](int sample, Ratio r) { return sample * r.pixels / r.samples; };
  const auto behind = [](int sample, Ratio r) { return (sample * r.pixels + r.samples - 1) / r.samples; };
  const Ratio x = ratio_across(frame, component, size), y = ratio_down(frame, component, size);
  const int left = first(across.source_begin, x), top = first(down.source_begin, y);
  return {left, top, std::min(frame.width, behind(across.source_end, x)) - left,
          std::min(frame.height, behind(down.source_end, y)) - top};
}

Rect PlanarResizer::prepare(const jpeg::BaselineFrame& frame, const std::array<jpeg::BlockSize, 3>& sizes,
                            const Rect& crop, Size target, const Rect& visible, Filter filter) {
  if (visible.width > kMaxSide || visible.height > kMaxSide) return {};
  components_ = frame.components;
  colour_ = frame.colour;
  const auto make_axis = scalar_ ? make_planar_axis_scalar : make_planar_axis;
  Rect region;
  for (int c = 0; c < components_; ++c) {
    Channel& channel = channels_[static_cast<std::size_t>(c)];
    const jpeg::BlockSize size = sizes[static_cast<std::size_t>(c)];
    const PlanarBox x = box_of(crop.x, crop.width, ratio_across(frame, c, size));
    const PlanarBox y = box_of(crop.y, crop.height, ratio_down(frame, c, size));
    if (most_planar_taps(x, target.width, filter) > kMaxTaps ||
        most_planar_taps(y, target.height, filter) > kMaxTaps) {
      return {};
    }
    channel.like = &channel;
    for (int other = 0; other < c; ++other) {
      const Channel& before = channels_[static_cast<std::size_t>(other)];
      if (before.like == &before && before.across.box == x && before.down.box == y) channel.like = &before;
    }
    if (channel.like != &channel) continue;
    make_axis(x, target.width, visible.x, visible.x + visible.width, filter, kAcrossBits, channel.across);
    make_axis(y, target.height, visible.y, visible.y + visible.height, filter, down_bits(filter),
              channel.down);
    if (!scalar_) plan_planar(channel.across, channel.plan);
    const Rect pixels = pixels_of(frame, c, size, channel.across, channel.down);
    if (c == 0) {
      region = pixels;
      continue;
    }
    const int right = std::max(region.x + region.width, pixels.x + pixels.width);
    const int bottom = std::max(region.y + region.height, pixels.y + pixels.height);
    region.x = std::min(region.x, pixels.x);
    region.y = std::min(region.y, pixels.y);
    region.width = right - region.x;
    region.height = bottom - region.y;
  }
  return region;
}

// Puts samples through the horizontal pass until the rows before `end` (from the axis's first on) are there.
void PlanarResizer::make_rows(Channel& channel, const jpeg::Plane& plane, int end) {
  const PlanarAxis &across = channel.like->across, &down = channel.like->down;
  const int all = down.source_end - down.source_begin;
  while (channel.made < end) {
    const int count = std::min(kPlanarRows, all - channel.made);
    const std::uint8_t* sources[kPlanarRows];
    std::int16_t* targets[kPlanarRows];
    for (int i = 0; i < kPlanarRows; ++i) {  // where rows are missing the last one is made again
      const int row = channel.made + std::min(i, count - 1);
      sources[i] = plane.at(across.source_begin, down.source_begin + row);
      targets[i] = channel.ring + static_cast<std::size_t>(row % channel.rows) * pitch_;
    }
    if (scalar_) {
      for (int i = 0; i < count; ++i) scalar::planar_across(across, channel.bias, sources[i], targets[i]);
    } else {
      planar_across_simd(channel.like->plan, channel.bias, sources, targets);
    }
    channel.made += count;
  }
}

// The rows and weights of output row `i`.
PlanarTaps PlanarResizer::taps_of(const Channel& channel, int i) {
  const PlanarAxis& down = channel.like->down;
  const int first = down.first[static_cast<std::size_t>(i)], count = down.count[static_cast<std::size_t>(i)];
  for (int tap = 0; tap < count; ++tap) {
    rows_[static_cast<std::size_t>(tap)] =
        channel.ring + static_cast<std::size_t>((first + tap) % channel.rows) * pitch_;
    weights_[static_cast<std::size_t>(tap)] = down.weight(i, tap);
  }
  return {count, weights_.data(), down.filter == Filter::bicubic, rows_.data()};
}

// Lays out the rings of all channels, and a row of each behind the vertical pass.
void PlanarResizer::begin_rows() {
  constexpr std::size_t kLine = 64 / sizeof(std::int16_t);
  // A cache line more than a row, so that the rows of a ring do not lie a multiple of 4 KiB apart.
  pitch_ = channels_[0].across.pitch + kLine;
  std::size_t rows = 0;
  for (int c = 0; c < components_; ++c) {
    Channel& channel = channels_[static_cast<std::size_t>(c)];
    channel.rows = channel.like->down.used_taps + kPlanarRows;
    channel.made = 0;
    channel.bias = planar_bias(colour_, c);
    rows += static_cast<std::size_t>(channel.rows) + 1;
  }
  if (memory_.size() < rows * pitch_ + kLine) memory_.resize(rows * pitch_ + kLine);
  const std::size_t place = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(std::int16_t) % kLine;
  std::int16_t* next = memory_.data() + (kLine - place) % kLine;
  for (int c = 0; c < components_; ++c) {
    Channel& channel = channels_[static_cast<std::size_t>(c)];
    channel.row = next;
    channel.ring = next + pitch_;
    next = channel.ring + static_cast<std::size_t>(channel.rows) * pitch_;
  }
}

void PlanarResizer::write(const std::array<jpeg::Plane, 3>& planes, const MutableRgbView& out) {
  begin_rows();
  const auto width = static_cast<std::size_t>(out.width);
  const auto down = scalar_ ? scalar::planar_down : planar_down_simd;
  const auto colour = scalar_ ? scalar::planar_colour : planar_colour_simd;
  for (int i = 0; i < out.height; ++i) {
    const std::int16_t* rows[3] = {};
    for (std::size_t c = 0; c < static_cast<std::size_t>(components_); ++c) {
      Channel& channel = channels_[c];
      const PlanarAxis& axis = channel.like->down;
      make_rows(channel, planes[c],
                axis.first[static_cast<std::size_t>(i)] + axis.count[static_cast<std::size_t>(i)]);
      down(taps_of(channel, i), width, channel.row);
      rows[c] = channel.row;
    }
    colour(rows, colour_, width, out.data + static_cast<std::size_t>(i) * out.stride);
  }
}

}  // namespace stoker::image
