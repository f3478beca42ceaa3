// The seek points of one image after another, as a seek index keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "jpeg/baseline_decoder.hpp"
#include "jpeg/seek_reason.hpp"

namespace stoker::packing {

// Threads: one at a time; memory is kept.
class PointFinder {
 public:
  // `interval`: MCUs between points, half of it (at least 1) where chroma is subsampled; 0: what suits each
  // picture.
  explicit PointFinder(int interval = 0) : interval_(interval) {}

  // packed() holds the points of the whole image then; or why there are none. `known`: packed points that are
  // believed to be of these very bytes; where they are the ones that would be found, the image is not walked.
  // Cost: one pass over the image's bits.
  std::optional<jpeg::SeekReason> find(std::span<const std::byte> image,
                                       std::span<const std::byte> known = {});

  std::span<const std::byte> packed() const { return packed_; }
  std::uint32_t points() const { return static_cast<std::uint32_t>(points_.points.size()); }

 private:
  int interval_of(const jpeg::BaselineFrame& frame) const;
  bool take(std::span<const std::byte> known, std::size_t image_bytes, int interval);

  const int interval_;
  jpeg::BaselineDecoder decoder_;
  jpeg::SeekPoints points_;
  std::vector<std::byte> packed_;
};

}  // namespace stoker::packing
