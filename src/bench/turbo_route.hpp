// The unit of every ratio: plain libjpeg-turbo, called as its manual says, sharing no code with the routes it
// is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "image/resize.hpp"

namespace stoker::bench {

// Full decode of a JPEG from memory: accurate inverse transform, fancy upsampling, RGB out (the library's
// defaults). The decompressor and the pixel memory are kept between calls. Threads: one at a time.
class TurboDecoder {
 public:
  TurboDecoder();
  ~TurboDecoder();
  TurboDecoder(const TurboDecoder&) = delete;
  TurboDecoder& operator=(const TurboDecoder&) = delete;

  // Valid until the next call.
  // Errors: corrupt_data, unsupported (four inks, which the library does not turn into RGB), out_of_resources
  // (max_pixels).
  Result<image::RgbView> decode(std::span<const std::byte> bytes, std::uint64_t max_pixels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::bench
