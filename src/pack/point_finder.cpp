#include "pack/point_finder.hpp"

#include <algorithm>

namespace stoker::packing {

namespace {

bool is_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 3 && bytes[0] == std::byte{0xFF} && bytes[1] == std::byte{0xD8} &&
         bytes[2] == std::byte{0xFF};
}

}  // namespace

std::optional<jpeg::SeekReason> PointFinder::find(std::span<const std::byte> image,
                                                  std::span<const std::byte> known) {
  packed_.clear();
  points_.clear();
  if (!is_jpeg(image)) return jpeg::SeekReason::no_jpeg;
  if (const auto reason = decoder_.open(image)) return jpeg::seek_reason(*reason);
  if (decoder_.has_own_entrances()) return jpeg::SeekReason::restart_markers;
  const int interval = interval_of(decoder_.frame());
  if (!take(known, image.size(), interval)) {
    points_.clear();
    if (const auto reason = decoder_.find_seek_points(interval, points_)) return jpeg::seek_reason(*reason);
  }
  jpeg::pack_seek_points(points_, packed_);
  if (packed_.empty() || packed_.size() > image.size()) return jpeg::SeekReason::not_said;
  return std::nullopt;
}

int PointFinder::interval_of(const jpeg::BaselineFrame& frame) const {
  if (interval_ == 0) return jpeg::default_interval(frame.blocks_per_mcu, frame.mcus_across);
  return jpeg::is_denser(frame.blocks_per_mcu) ? std::max(interval_ / 2, 1) : interval_;
}

// Points of another interval are left, so that an index does not depend on what was known before.
bool PointFinder::take(std::span<const std::byte> known, std::size_t image_bytes, int interval) {
  if (known.empty() || !jpeg::unpack_seek_points(known, points_)) return false;
  const jpeg::BaselineFrame& frame = decoder_.frame();
  const auto segments = static_cast<std::size_t>((frame.mcus() + interval - 1) / interval);
  return points_.complete && points_.interval == interval && points_.points.size() == segments + 1 &&
         points_.points.front().byte == frame.scan_begin && points_.points.back().byte <= image_bytes;
}

}  // namespace stoker::packing
