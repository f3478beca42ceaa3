// Where libjpeg's compressor writes: memory that grows, and is kept for the next file. Private to src/jpeg.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <jpeglib.h>
#include <span>
#include <vector>

#include "jpeg/libjpeg_guard.hpp"

namespace stoker::jpeg {

// Stays where it was made: libjpeg's struct points to it.
class OutputBuffer {
 public:
  // `guard` is that of the compressor, for growing may fail.
  explicit OutputBuffer(LibjpegGuard& guard);
  OutputBuffer(const OutputBuffer&) = delete;
  OutputBuffer& operator=(const OutputBuffer&) = delete;

  // Room for the first so many bytes, at least some; outside libjpeg, before jpeg_start_compress and its
  // like.
  void reserve(std::size_t bytes);
  jpeg_destination_mgr* manager() { return &destination_.manager; }
  // What was written, valid until the next file; call when libjpeg has finished.
  std::span<const std::byte> bytes() const;
  // `more` behind what was written; once.
  std::span<const std::byte> bytes_and(std::span<const std::byte> more);

 private:
  // What libjpeg's output hooks hand back; its own part comes first.
  struct Destination {
    jpeg_destination_mgr manager{};
    OutputBuffer* owner = nullptr;
  };
  static OutputBuffer& owner_of(j_compress_ptr libjpeg) {
    return *reinterpret_cast<Destination*>(libjpeg->dest)->owner;
  }
  void begin();
  void grow();

  LibjpegGuard& guard_;
  Destination destination_;
  std::vector<std::uint8_t> output_;
};

}  // namespace stoker::jpeg
