#include "jpeg/rgb_output.hpp"

#include <algorithm>

#include "jpeg/rgb_kernels.hpp"

namespace stoker::jpeg {

namespace {

// Of libjpeg's filters over rows alone, over columns alone, and over both.
constexpr PairRounding kRowsRounding{1, 2}, kColumnsRounding{4, 8}, kBothRounding{8, 7};

constexpr int kFilteredWidth = 3;  // samples; narrower components are repeated

template <int kTimes>
void repeat_each(const std::uint8_t* from, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < kTimes; ++k) out[kTimes * i + k] = from[i];
  }
}

void repeat_samples(const std::uint8_t* from, int count, int times, std::uint8_t* out) {
  switch (times) {
    case 1:
      return repeat_each<1>(from, count, out);
    case 2:
      return repeat_each<2>(from, count, out);
    case 3:
      return repeat_each<3>(from, count, out);
    default:
      return repeat_each<4>(from, count, out);
  }
}

}  // namespace

Upsampling upsampling_of(const BaselineFrame& frame, int component) {
  const FrameComponent& part = frame.component[static_cast<std::size_t>(component)];
  const int h = frame.h_max / part.h, v = frame.v_max / part.v;
  if (h == 1 && v == 1) return Upsampling::none;
  if (h == 1 && v == 2) return Upsampling::h1v2;
  if (h != 2 || v > 2 || part.width < kFilteredWidth) return Upsampling::box;
  return v == 1 ? Upsampling::h2v1 : Upsampling::h2v2;
}

int upsampling_margin(const BaselineFrame& frame) {
  for (int i = 0; i < frame.components; ++i) {
    const Upsampling upsampling = upsampling_of(frame, i);
    if (upsampling != Upsampling::none && upsampling != Upsampling::box) return 1;
  }
  return 0;
}

void RgbOutput::begin(const BaselineFrame& frame, const std::array<Plane, 3>& planes, const Rect& region) {
  kernels_ = scalar_ ? &scalar_row_kernels() : &simd_row_kernels();
  region_ = region;
  components_ = frame.components;
  colour_ = frame.colour;
  std::size_t row_bytes = 0;
  for (int i = 0; i < components_; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const FrameComponent& component = frame.component[index];
    const Plane& plane = planes[index];
    Source& source = sources_[index];
    source = {};
    source.plane = plane;
    source.upsampling = upsampling_of(frame, i);
    source.h = frame.h_max / component.h;
    source.v = frame.v_max / component.v;
    source.width = component.width;
    source.row_begin = std::max(0, plane.y);
    source.row_end = std::min(component.height, plane.y + plane.height);
    source.first = region.x / source.h;
    source.count = (region.x + region.width - 1) / source.h - source.first + 1;
    source.row = row_bytes;
    if (source.upsampling == Upsampling::none) continue;
    row_bytes += static_cast<std::size_t>(source.count * source.h) + 2 * kRowSlack;
  }
  if (rows_.size() < row_bytes) rows_.resize(row_bytes);
}

// A row of samples with its columns doubled, filtered with the next nearest row. What lies beyond a true edge
// counts as the edge's own sample.
void RgbOutput::double_columns(const Source& source, int near, int far, std::uint8_t* row) {
  const PairRounding rounding = source.v == 1 ? kColumnsRounding : kBothRounding;
  const std::uint8_t *nearer = source.plane.at(source.first, near),
                     *other = source.plane.at(source.first, far);
  const auto last = static_cast<std::size_t>(source.count) - 1;
  kernels_->double_columns(nearer, other, last + 1, rounding, row);
  const auto edge = [&](std::size_t i, int half) {
    return static_cast<std::uint8_t>((4 * (3 * nearer[i] + other[i]) + half) / 16);
  };
  if (source.first == 0) row[0] = edge(0, rounding.even);
  if (source.first + source.count == source.width) row[2 * last + 1] = edge(last, rounding.odd);
}

// The component's samples at picture row `y`, one a pixel from the region's first column on.
const std::uint8_t* RgbOutput::upsampled(Source& source, int y) {
  if (source.upsampling == Upsampling::none) return source.plane.at(region_.x, y);
  std::uint8_t* const row = rows_.data() + source.row;
  const std::uint8_t* const out = row + (region_.x - source.first * source.h);
  const auto count = static_cast<std::size_t>(source.count);
  const int near = y / source.v;
  if (source.upsampling == Upsampling::box) {
    if (near != source.box_row)
      repeat_samples(source.plane.at(source.first, near), source.count, source.h, row);
    source.box_row = near;
    return out;
  }
  // The next nearest row: a filter over rows makes two of each.
  const int far = source.v == 1
                      ? near
                      : std::clamp(y % 2 == 0 ? near - 1 : near + 1, source.row_begin, source.row_end - 1);
  if (source.upsampling == Upsampling::h1v2) {
    const std::uint16_t rounding = y % 2 == 0 ? kRowsRounding.even : kRowsRounding.odd;
    kernels_->blend(source.plane.at(source.first, near), source.plane.at(source.first, far), count, rounding,
                    row);
  } else {
    double_columns(source, near, far, row);
  }
  return out;
}

void RgbOutput::rows(int first, int count, std::uint8_t* rgb, std::size_t stride) {
  const auto width = static_cast<std::size_t>(region_.width);
  const bool converts = components_ == 3 && colour_ == Colour::ycbcr;
  for (int i = 0; i < count; ++i, rgb += stride) {
    const int y = region_.y + first + i;
    const std::uint8_t* const first_channel = upsampled(sources_[0], y);
    const std::uint8_t* channels[3] = {first_channel, first_channel, first_channel};
    if (components_ == 3) {
      channels[1] = upsampled(sources_[1], y);
      channels[2] = upsampled(sources_[2], y);
    }
    (converts ? kernels_->ycbcr_to_rgb : kernels_->interleave)(channels, width, rgb);
  }
}

void RgbOutput::write(const BaselineFrame& frame, const std::array<Plane, 3>& planes, const Rect& region,
                      std::uint8_t* rgb, std::size_t stride) {
  begin(frame, planes, region);
  rows(0, region.height, rgb, stride);
}

}  // namespace stoker::jpeg
