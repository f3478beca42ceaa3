// What a JPEG's header tells, read without decoding and without libjpeg.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace stoker::jpeg {

// By the frame marker, SOF0 to SOF15. Source: ITU-T T.81 table B.1.
enum class Process {
  baseline,
  extended,
  progressive,
  lossless,
  arithmetic_sequential,
  arithmetic_progressive,
  other
};
// "baseline", "ext-seq", "progressive", "lossless", "arith-seq", "arith-prog", "other".
std::string_view to_string(Process process);

struct Component {
  int id = 0;
  int h = 1, v = 1;  // sampling factors
};

struct Header {
  Process process = Process::baseline;
  int precision = 8;
  int width = 0, height = 0;  // stored orientation
  std::vector<Component> components;
  int restart_interval = 0;  // MCUs, as defined before the first scan; 0: none
  int adobe_transform = -1;  // -1: no Adobe marker
  bool has_jfif = false;
  int orientation = 1;  // EXIF, 1..8
};

// "2x2 1x1 1x1": h×v of each component.
std::string sampling_text(const Header& header);

// Reads the segments up to the first scan, skipping junk between them as libjpeg does.
// Errors: corrupt_data (no JPEG, no frame before the first scan, a segment that runs over the end, a side of
// 0). Cost: linear in the header's bytes; allocates for at most 255 components.
Result<Header> read_header(std::span<const std::byte> bytes);

}  // namespace stoker::jpeg
