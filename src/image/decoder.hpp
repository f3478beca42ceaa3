// Any image file → RGB pixels: finds the kind by content, decodes only what a DecodeSpec needs, resizes. One
// a thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "stoker/image.hpp"

#include "base/result.hpp"
#include "image/resize.hpp"

namespace stoker::image {

// What came out. Owns nothing: valid until the decoder's next call.
struct Decoded {
  RgbView pixels;
  std::string_view warning;                // empty: none
  std::chrono::nanoseconds decode_time{};  // bytes → pixels
  std::chrono::nanoseconds resize_time{};
};

// Reuses its memory: no allocation per image, apart from those above 2 MiB of pixels (pixel_buffer.hpp).
// Threads: one at a time.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // Errors: as stoker::read_image_info.
  Result<ImageInfo> info(std::span<const std::byte> bytes);
  // Errors: as stoker::decode_image.
  Result<Decoded> decode(std::span<const std::byte> bytes, const DecodeSpec& spec);
  // The whole picture, perhaps 1/2, 1/4 or 1/8 of its size (JPEG's scaled inverse transform), both sides
  // never below `at_least` unless the picture itself is. Pixels are then not those of decode-then-resize.
  Result<Decoded> decode_scaled(std::span<const std::byte> bytes, Size at_least, std::uint64_t max_pixels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::image
