// What a reader makes of a file, to be held against what another one makes of it. Only tests and fuzzers
// include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stoker/image.hpp"

namespace stoker::jpeg::fixtures {

struct Outcome {
  bool decoded = false;
  std::string complaint;          // the warning, or the error
  std::vector<std::uint8_t> rgb;  // of the wanted pixels alone
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// `wanted`: default the whole picture. `prepare` is called between open() and begin().
template <class Reader, class Prepare>
Outcome decode(Reader& reader, std::span<const std::byte> file, std::uint64_t max_pixels,
               std::optional<Rect> wanted, const Prepare& prepare) {
  const auto size = reader.open(file, max_pixels);
  if (!size) return {false, size.error().what(), {}};
  prepare();
  const Rect rect = wanted.value_or(Rect{0, 0, size->width, size->height});
  const auto held = reader.begin(rect);
  if (!held) return {false, held.error().what(), {}};
  const auto stride = 3 * static_cast<std::size_t>(held->width);
  std::vector<std::uint8_t> rgb(stride * static_cast<std::size_t>(held->height));
  if (auto done = reader.read(rgb.data(), stride); !done) return {false, done.error().what(), {}};
  Outcome outcome{true, std::string(reader.warning()), {}};
  for (int y = rect.y - held->y; y < rect.y - held->y + rect.height; ++y) {
    const auto row = rgb.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * stride) +
                     3 * (rect.x - held->x);
    outcome.rgb.insert(outcome.rgb.end(), row, row + 3 * rect.width);
  }
  return outcome;
}

// The pixels of `rect`, from those of a picture `width` wide.
inline std::vector<std::uint8_t> crop(const std::vector<std::uint8_t>& rgb, int width, const Rect& rect) {
  std::vector<std::uint8_t> part;
  for (int y = rect.y; y < rect.y + rect.height; ++y) {
    const auto row = rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * width + rect.x);
    part.insert(part.end(), row, row + 3 * rect.width);
  }
  return part;
}

}  // namespace stoker::jpeg::fixtures
