// Packed seek points of any bytes: refused, or points that pack to themselves.
#include <vector>

#include "fuzzer.hpp"
#include "jpeg/seek_points.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using fuzz::expect;
  const std::span<const std::byte> packed = std::as_bytes(std::span(data, bytes));
  static jpeg::SeekPoints points;
  const auto done = jpeg::unpack_seek_points(packed, points);
  // A point takes four bits or more.
  expect(points.points.capacity() <= 4 * std::size_t{1 << 20}, "no more memory is taken than bytes can hold");
  if (!done) {
    expect(points.points.empty() && points.interval == 0 && !points.complete,
           "what is refused leaves no points");
    return 0;
  }
  if (packed.empty()) return 0;
  expect(points.points.size() == jpeg::packed_count(packed), "as many points as the header says");
  expect(points.points.size() <= 1 + 2 * packed.size(), "a point takes four bits or more");
  std::vector<std::byte> again;
  jpeg::pack_seek_points(points, again);
  jpeg::SeekPoints same;
  expect(jpeg::unpack_seek_points(again, same).has_value(), "points that were unpacked can be packed");
  expect(same.interval == points.interval && same.complete == points.complete && same.points == points.points,
         "and come out as they were");
  return 0;
}
