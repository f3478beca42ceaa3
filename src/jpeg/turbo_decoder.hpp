// JPEG bytes → RGB pixels through libjpeg-turbo: the whole picture, a region of it, or all of it at 1/2, 1/4,
// 1/8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stoker/image.hpp"

#include "base/result.hpp"

namespace stoker::jpeg {

// Accurate inverse transform and triangle-filtered chroma (ISLOW, fancy upsampling), as Pillow decodes; gray,
// RGB, YCbCr, CMYK and YCCK come out as RGB. A region's pixels equal those of the full decode to the byte.
//
// One picture: open(), then begin() or begin_scaled(), then read(). Threads: one at a time.
//
// What is refused beyond what libjpeg refuses, and why (see README.md):
// more than max_pixels; coefficients of a file of several scans beyond 4 bytes × max_pixels; a Huffman-coded
// file with fewer bits than blocks; more scans than the picture's size excuses.
class TurboDecoder {
 public:
  TurboDecoder();
  ~TurboDecoder();
  TurboDecoder(TurboDecoder&&) noexcept;
  TurboDecoder& operator=(TurboDecoder&&) noexcept;

  // Reads the header. `bytes` are used until read() returns. Nothing is allocated by what the header claims.
  // Errors: corrupt_data, unsupported, out_of_resources (more than max_pixels).
  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);

  // Chooses the pixels to decode; `wanted` lies inside the picture and is not empty. Returns the rectangle
  // that read() writes: the wanted rows, and perhaps some columns more on both sides, which libjpeg's units
  // force. Cost: of a progressive file all its entropy decoding. Errors: corrupt_data, unsupported,
  // out_of_resources.
  Result<Rect> begin(const Rect& wanted);
  // The whole picture at 1/denominator (1, 2, 4 or 8), sides rounded up. Returns the size that read() writes.
  Result<Size> begin_scaled(int denominator);

  // Writes the rows that begin() announced, `stride` bytes apart.
  // Cost: what is above the region is entropy-decoded only, what is below is not looked at.
  // Errors: corrupt_data.
  Result<void> read(std::uint8_t* rgb, std::size_t stride);

  // libjpeg's first complaint about this picture so far; empty: none. Valid until the next open().
  std::string_view warning() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::jpeg
