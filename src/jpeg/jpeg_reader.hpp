// JPEG bytes → RGB pixels of a region: by our own decoder where the file is for it, else by libjpeg-turbo.
// The pixels and complaints are libjpeg-turbo's either way. Or the samples of its components, unupsampled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "stoker/image.hpp"

#include "base/result.hpp"
#include "jpeg/baseline_decoder.hpp"
#include "jpeg/rgb_output.hpp"
#include "jpeg/seek_points.hpp"
#include "jpeg/turbo_decoder.hpp"

namespace stoker::jpeg {

// One picture: open(), then begin(), then read(). Threads: one at a time. Refuses what TurboDecoder refuses.
class JpegReader {
 public:
  // As TurboDecoder::open.
  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);

  // Before begin(): points of this very file, packed or not; must outlive begin(). What does not fit the file
  // is seen there, and the file then decoded without them.
  void enter_by(const SeekPoints* points) { points_ = points; }
  // Before begin(): the points met on the way are kept in `learned`; none where damage is met.
  void learn(SeekPoints* learned, bool to_end) {
    learned_ = learned;
    learn_to_end_ = to_end;
  }

  // As TurboDecoder::begin. All decoding but the colours is done here.
  Result<Rect> begin(const Rect& wanted);
  // As TurboDecoder::read.
  Result<void> read(std::uint8_t* rgb, std::size_t stride);
  std::string_view warning() const;

  // The header, if our own decoder has this picture so far; null: it has not.
  const BaselineFrame* frame() const { return reason_ ? nullptr : &own_.frame(); }
  // In place of begin() and read(), where there is a frame(): planes() get the samples of at least `region`,
  // `sizes` a block. False: damage; libjpeg-turbo has the picture now, from begin() on.
  Result<bool> begin_planes(const Rect& region, const std::array<BlockSize, 3>& sizes);
  const std::array<Plane, 3>& planes() const { return own_.planes(); }

  // Why libjpeg-turbo has this picture; none: our own decoder has it. Valid behind begin() or
  // begin_planes().
  std::optional<NotMine> reason() const { return reason_; }
  // The seek points did not fit the file's bytes.
  bool points_failed() const { return points_failed_; }

 private:
  Result<std::optional<NotMine>> decode_and_learn(RegionRequest request);

  BaselineDecoder own_;
  RgbOutput output_;
  TurboDecoder turbo_;
  std::span<const std::byte> bytes_;
  std::uint64_t max_pixels_ = 0;
  Rect wanted_;
  std::optional<NotMine> reason_;
  bool points_failed_ = false;
  const SeekPoints* points_ = nullptr;
  SeekPoints* learned_ = nullptr;
  bool learn_to_end_ = false;
};

}  // namespace stoker::jpeg
