#include "pack/markers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace stoker::packing {
namespace {

constexpr std::size_t kStartOfImage = 2;
constexpr std::uint8_t kSos = 0xDA, kEoi = 0xD9, kApp0 = 0xE0, kApp1 = 0xE1;

std::uint8_t at(std::span<const std::byte> bytes, std::size_t i) {
  return static_cast<std::uint8_t>(bytes[i]);
}

// Bytes from the marker's FF to the end of its segment, 0 where it is cut off.
std::size_t segment_bytes(std::span<const std::byte> jpeg, std::size_t marker) {
  if (marker + 4 > jpeg.size()) return 0;
  const std::size_t length = static_cast<std::size_t>(at(jpeg, marker + 2)) << 8 | at(jpeg, marker + 3);
  return length < 2 || marker + 2 + length > jpeg.size() ? 0 : 2 + length;
}

// Where the entropy-coded data of the first scan begins, or the size where there is none.
std::size_t first_scan(std::span<const std::byte> jpeg) {
  std::size_t i = kStartOfImage;
  while (i + 1 < jpeg.size()) {
    if (at(jpeg, i) != 0xFF) {  // junk between segments: libjpeg skips it too
      ++i;
      continue;
    }
    const std::uint8_t code = at(jpeg, i + 1);
    if (code == 0xFF) {  // fill byte
      ++i;
      continue;
    }
    const bool bare = code == 0 || code == 1 || (code >= 0xD0 && code <= 0xD8);
    const std::size_t bytes = bare ? 2 : segment_bytes(jpeg, i);
    if (bytes == 0) return jpeg.size();
    i += bytes;
    if (code == kSos) return i;
  }
  return jpeg.size();
}

}  // namespace

bool has_end_of_image(std::span<const std::byte> jpeg) {
  const std::size_t n = jpeg.size();
  if (n < 4) return false;
  const bool ends_with_it = at(jpeg, n - 2) == 0xFF && at(jpeg, n - 1) == kEoi;
  const std::size_t scan = first_scan(jpeg);
  if (scan >= n) return false;
  if (ends_with_it) return true;
  // Some cameras append trailers; inside entropy-coded data FF is always followed by 00 or a restart marker.
  for (std::size_t i = n - 2; i > scan; --i) {
    if (at(jpeg, i - 1) == 0xFF && at(jpeg, i) == kEoi) return true;
  }
  return false;
}

std::vector<std::byte> exif_with_orientation(int orientation) {
  // Little-endian TIFF header, one directory at 8 with one entry: tag 0x0112, SHORT, count 1, value; no next
  // directory.
  std::array<std::uint8_t, 26> tiff{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0};
  tiff[18] = static_cast<std::uint8_t>(orientation);
  std::vector<std::byte> bytes(tiff.size());
  std::transform(tiff.begin(), tiff.end(), bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
  return bytes;
}

void insert_orientation(std::span<const std::byte> jpeg, int orientation, std::vector<std::byte>& out) {
  std::size_t head = std::min(kStartOfImage, jpeg.size());
  if (jpeg.size() > 4 && at(jpeg, 2) == 0xFF && at(jpeg, 3) == kApp0) head += segment_bytes(jpeg, 2);
  const std::vector<std::byte> tiff = exif_with_orientation(orientation);
  constexpr std::array<std::uint8_t, 6> kName{'E', 'x', 'i', 'f', 0, 0};
  const std::size_t length = 2 + kName.size() + tiff.size();
  out.clear();
  out.reserve(jpeg.size() + 2 + length);
  const auto append = [&out](auto first, auto last) {
    for (; first != last; ++first) out.push_back(static_cast<std::byte>(*first));
  };
  const std::array<std::uint8_t, 4> marker{0xFF, kApp1, static_cast<std::uint8_t>(length >> 8),
                                           static_cast<std::uint8_t>(length & 0xFF)};
  out.insert(out.end(), jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(head));
  append(marker.begin(), marker.end());
  append(kName.begin(), kName.end());
  append(tiff.begin(), tiff.end());
  out.insert(out.end(), jpeg.begin() + static_cast<std::ptrdiff_t>(head), jpeg.end());
}

}  // namespace stoker::packing
