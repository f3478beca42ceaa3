// Where a decoder may enter a JPEG's entropy-coded data: positions and predictors every few MCUs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace stoker::jpeg {

// The state in front of an MCU. Units: `byte` is the offset in the file (stuffed bytes counted) of the byte
// that holds the next unread bit, `bit` how many of its bits, from the top, were read: 0..7.
struct SeekPoint {
  std::uint32_t byte = 0;
  std::uint8_t bit = 0;
  std::array<std::int16_t, 3> dc{};  // predictors, by component
  friend bool operator==(const SeekPoint&, const SeekPoint&) = default;
};

// The points of one file, in front of MCU 0, interval, 2 × interval, …, without a gap. Those of a whole scan
// end with one more point behind its last MCU (`complete`); so a segment lies between each two neighbours.
// Files with restart markers have none: the markers themselves are where to enter.
struct SeekPoints {
  int interval = 0;  // MCUs; 0: no points
  bool complete = false;
  std::vector<SeekPoint> points;

  void clear() {
    interval = 0;
    complete = false;
    points.clear();
  }
  bool empty() const { return points.size() < 2; }
};

// MCUs; the decoder leaves points that lie farther apart.
inline constexpr int kLargestUsedInterval = 64;

// Whether MCUs are so large that points stand at half the interval: more than three blocks.
inline bool is_denser(int blocks_per_mcu) { return blocks_per_mcu > 3; }

// MCUs between points where nothing else is asked: 8, or 4 where MCUs are large; the double of it, or four
// times, … in pictures so wide that a row of MCUs would hold more than 16 points.
int default_interval(int blocks_per_mcu, int mcus_across);

// Appends the packed form, which docs/formats/seek-index.md specifies.
void pack_seek_points(const SeekPoints& points, std::vector<std::byte>& packed);

// How many points packed ones claim to hold; 0: they are none.
std::uint32_t packed_count(std::span<const std::byte> packed);

// The points from their packed form, reusing `points`' memory. Every field is checked against the form itself
// (not against the file). Cost: nothing is allocated beyond what `packed` can hold. Errors: corrupt_data.
Result<void> unpack_seek_points(std::span<const std::byte> packed, SeekPoints& points);

}  // namespace stoker::jpeg
