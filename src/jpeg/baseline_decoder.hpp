// The samples of a region of a baseline JPEG, by our own decoder: enters at seek points or restart markers
// where there are any, else passes over what it does not need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "stoker/image.hpp"

#include "jpeg/baseline_frame.hpp"
#include "jpeg/idct.hpp"
#include "jpeg/plane.hpp"
#include "jpeg/seek_points.hpp"

namespace stoker::jpeg {

struct RegionRequest {
  Rect region;  // pixels, inside the picture, not empty; margins that an upsampling needs are the caller's
  std::array<BlockSize, 3> sizes{BlockSize::full, BlockSize::full, BlockSize::full};
  const SeekPoints* points = nullptr;  // of this very file; null: none
  // Gets the points met, those of `points` included: as far as the region reaches, or (`learn_to_end`) all.
  SeekPoints* learned = nullptr;
  bool learn_to_end = false;
};

// One picture: open(), then decode(). Threads: one at a time. Memory is kept between pictures.
class BaselineDecoder {
 public:
  BaselineDecoder();
  ~BaselineDecoder();
  BaselineDecoder(BaselineDecoder&&) noexcept;
  BaselineDecoder& operator=(BaselineDecoder&&) noexcept;

  // Reads the header; a reason where the file is for libjpeg-turbo. `bytes` are used until the last decode().
  std::optional<NotMine> open(std::span<const std::byte> bytes);
  const BaselineFrame& frame() const;

  // Fills planes() with the samples of the region's MCUs. A reason (NotMine::entropy) where the data that it
  // read, or the points that it was given, show damage: then nothing of planes() is to be used.
  // Errors: out_of_resources.
  Result<std::optional<NotMine>> decode(const RegionRequest& request);
  // Valid until the next decode().
  const std::array<Plane, 3>& planes() const;

  // Restart markers stand every few MCUs: the file needs no seek points.
  bool has_own_entrances() const;
  // The points of the whole file (interval 0: the default), without its pixels; a reason where the data is
  // damaged. Not for files with entrances of their own. Cost: one pass over the bits.
  std::optional<NotMine> find_seek_points(int interval, SeekPoints& points);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::jpeg
