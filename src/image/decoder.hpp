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

// Who made the pixels.
enum class DecodeRoute {
  own,    // our decoder, from the file's first byte or its restart markers
  seek,   // our decoder, entering at seek points
  turbo,  // libjpeg-turbo: a JPEG that is not for our decoder
  other,  // no JPEG
};

// Which seek points a decode is to keep.
enum class Learn { nothing, what_is_read, whole_file };

// What came out. Owns nothing: valid until the decoder's next call.
struct Decoded {
  RgbView pixels;
  std::string_view warning;                // empty: none
  std::chrono::nanoseconds decode_time{};  // bytes → pixels
  std::chrono::nanoseconds resize_time{};
  DecodeRoute route = DecodeRoute::other;
  bool points_failed = false;  // the spec's seek points did not fit the bytes
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
  Result<Decoded> decode(std::span<const std::byte> bytes, const DecodeSpec& spec,
                         Learn learn = Learn::nothing);
  // The packed seek points that the last decode() learned, the spec's own among them; empty: nothing new.
  std::span<const std::byte> learned() const;
  // The whole picture, perhaps 1/2, 1/4 or 1/8 of its size (JPEG's scaled inverse transform), both sides
  // never below `at_least` unless the picture itself is. Pixels are then not those of decode-then-resize.
  Result<Decoded> decode_scaled(std::span<const std::byte> bytes, Size at_least, std::uint64_t max_pixels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::image
