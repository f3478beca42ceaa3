// PNG bytes → RGB pixels through libspng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stoker/image.hpp"

#include "base/pixel_buffer.hpp"
#include "base/result.hpp"

namespace stoker::image {

// As Pillow's convert("RGB"): palettes looked up, gray widened, alpha and transparency dropped, of 16 bits
// the high eight; gamma is not applied. One picture: open(), begin(), read(), as jpeg::TurboDecoder. Threads:
// one at a time.
class PngReader {
 public:
  PngReader();
  ~PngReader();
  PngReader(PngReader&&) noexcept;
  PngReader& operator=(PngReader&&) noexcept;

  // Errors: corrupt_data. Nothing is allocated by what the header claims.
  Result<ImageInfo> info(std::span<const std::byte> bytes);

  // Errors: corrupt_data (also a file too small to hold its size), out_of_resources (more than max_pixels).
  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);
  // The rectangle that read() will write: the wanted rows over the whole width.
  Result<Rect> begin(const Rect& wanted);
  // Cost: all rows down to the last wanted one; of an interlaced file the whole picture.
  // Errors: corrupt_data, out_of_resources.
  Result<void> read(std::uint8_t* rgb, std::size_t stride);
  std::string_view warning() const { return {}; }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::image
