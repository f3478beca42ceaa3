// RGB pixels → JPEG bytes. One a thread, memory reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.hpp"

namespace stoker::jpeg {

struct EncodeSpec {
  int quality = 90;            // 1..100, libjpeg's scale
  int luma_h = 2, luma_v = 2;  // sampling of luma against chroma: 1×1 is 4:4:4, 2×1 4:2:2, 2×2 4:2:0
  bool gray = false;           // take the first channel only and write one component
  bool optimize = false;       // Huffman tables made for this image (about 3 % smaller, a fifth slower)
};

class Encoder {
 public:
  Encoder();
  ~Encoder();
  // The file's bytes, valid until the next call. `rgb`: height rows of width × 3 bytes, `stride` bytes apart.
  // Errors: invalid_argument (quality, sampling or a side that JPEG cannot have), out_of_resources, internal.
  Result<std::span<const std::byte>> encode(const std::uint8_t* rgb, int width, int height,
                                            std::size_t stride, const EncodeSpec& spec);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::jpeg
