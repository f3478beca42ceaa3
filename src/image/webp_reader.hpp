// WebP bytes → RGB pixels through libwebp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stoker/image.hpp"

#include "base/result.hpp"

namespace stoker::image {

// Lossy and lossless; alpha is dropped, as by Pillow's convert("RGB"). Animations are refused.
// One picture: open(), begin(), read(), as jpeg::TurboDecoder. Threads: one at a time.
class WebpReader {
 public:
  // Errors: corrupt_data, unsupported (an animation).
  Result<ImageInfo> info(std::span<const std::byte> bytes);

  // Errors: corrupt_data, unsupported, out_of_resources (more than max_pixels).
  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);
  // The rectangle that read() will write: the whole picture, whose chroma cannot be filtered in parts.
  Result<Rect> begin(const Rect& wanted);
  // Errors: corrupt_data, out_of_resources.
  Result<void> read(std::uint8_t* rgb, std::size_t stride);
  std::string_view warning() const { return {}; }

 private:
  std::span<const std::byte> bytes_;
  Size size_;
};

}  // namespace stoker::image
