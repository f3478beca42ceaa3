#include "jpeg/exif.hpp"

#include <cstdint>
#include <optional>

namespace stoker::jpeg {

namespace {

constexpr std::uint16_t kOrientationTag = 0x0112;
constexpr std::uint16_t kTypeShort = 3;
constexpr std::size_t kEntryBytes = 12;

// Numbers of a TIFF block in its own byte order; reads beyond the end give 0.
class TiffBytes {
 public:
  TiffBytes(std::span<const std::byte> bytes, bool big_endian) : bytes_(bytes), big_endian_(big_endian) {}

  std::uint32_t number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || bytes_.size() - at < count) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t shift = 8 * (big_endian_ ? count - 1 - i : i);
      value |= std::to_integer<std::uint32_t>(bytes_[at + i]) << shift;
    }
    return value;
  }
  std::uint16_t u16(std::size_t at) const { return static_cast<std::uint16_t>(number(at, 2)); }
  std::uint32_t u32(std::size_t at) const { return number(at, 4); }

 private:
  std::span<const std::byte> bytes_;
  bool big_endian_;
};

// Where the orientation stands that exif_orientation() tells: 1..8, one SHORT in IFD0.
struct Found {
  std::size_t at = 0;  // of its two bytes
  int orientation = 1;
  bool big_endian = false;
};

std::optional<Found> find_orientation(std::span<const std::byte> tiff) {
  if (tiff.size() < 8) return std::nullopt;
  const char first = static_cast<char>(tiff[0]), second = static_cast<char>(tiff[1]);
  if (first != second || (first != 'I' && first != 'M')) return std::nullopt;
  const TiffBytes block(tiff, first == 'M');
  if (block.u16(2) != 42) return std::nullopt;
  const std::size_t directory = block.u32(4);
  const std::size_t entries = block.u16(directory);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > tiff.size()) return std::nullopt;
    if (block.u16(entry) != kOrientationTag) continue;
    const int value = block.u16(entry + 8);
    const bool is_one_short = block.u16(entry + 2) == kTypeShort && block.u32(entry + 4) == 1;
    if (!is_one_short || value < 1 || value > 8) return std::nullopt;
    return Found{entry + 8, value, first == 'M'};
  }
  return std::nullopt;
}

}  // namespace

int exif_orientation(std::span<const std::byte> tiff) {
  const auto found = find_orientation(tiff);
  return found ? found->orientation : 1;
}

void set_exif_upright(std::span<std::byte> tiff) {
  const auto found = find_orientation(tiff);
  if (!found) return;
  tiff[found->at] = std::byte{static_cast<unsigned char>(found->big_endian ? 0 : 1)};
  tiff[found->at + 1] = std::byte{static_cast<unsigned char>(found->big_endian ? 1 : 0)};
}

}  // namespace stoker::jpeg
