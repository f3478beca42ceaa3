// Why an image has no seek points, as a seek index keeps it.
#pragma once

#include <cstdint>
#include <string_view>

#include "jpeg/baseline_frame.hpp"

namespace stoker::jpeg {

// The numbers are part of the format. Source: docs/formats/seek-index.md, "Entry".
enum class SeekReason : std::uint8_t {
  not_said = 0,
  process = 1,
  precision = 2,
  components = 3,
  scans = 4,
  tables = 5,
  sampling = 6,
  structure = 7,
  entropy = 8,
  restart_markers = 9,  // they are where to enter
  no_jpeg = 10,
};

SeekReason seek_reason(NotMine reason);
// What reports show.
std::string_view to_string(SeekReason reason);

}  // namespace stoker::jpeg
