// What a JPEG file may ask of libjpeg, held against its header before anything is allocated. Private to
// src/jpeg.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <jpeglib.h>
#include <string_view>

#include "base/result.hpp"
#include "jpeg/libjpeg_guard.hpp"

namespace stoker::jpeg {

// `coefficient_rooms`: how often all coefficients will stand in memory at once; 0: row by row.
// `libjpeg` has read the header of a file of `file_bytes`.
// Errors: out_of_resources (pixels beyond max_pixels, coefficients beyond 4 bytes × max_pixels), corrupt_data
// (fewer bits than blocks).
Result<void> check_limits(const jpeg_decompress_struct& libjpeg, std::size_t file_bytes,
                          std::uint64_t max_pixels, std::uint64_t coefficient_rooms,
                          std::string_view operation);

// Gives up on a file of more scans than its size excuses: about a second of passing over blocks in which
// nothing changes. Stays where it was made: libjpeg's struct points to it.
class ScanLimit {
 public:
  explicit ScanLimit(LibjpegGuard& guard);
  ScanLimit(const ScanLimit&) = delete;
  ScanLimit& operator=(const ScanLimit&) = delete;

  // Behind jpeg_create_decompress; until set_for() the limit is that of the smallest picture.
  void watch(jpeg_decompress_struct& libjpeg);
  // Behind jpeg_read_header.
  void set_for(const jpeg_decompress_struct& libjpeg);

 private:
  // What libjpeg's progress hook hands back; its own part comes first.
  struct Progress {
    jpeg_progress_mgr manager{};
    ScanLimit* owner = nullptr;
  };
  void check(const jpeg_decompress_struct& libjpeg);

  LibjpegGuard& guard_;
  Progress progress_;
  int limit_ = 0;
};

}  // namespace stoker::jpeg
