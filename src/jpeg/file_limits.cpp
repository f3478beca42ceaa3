#include "jpeg/file_limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace stoker::jpeg {

namespace {

// Coefficients of a file of several scans stay in memory all at once, two bytes each.
constexpr std::uint64_t kBlockBytes = DCTSIZE2 * sizeof(JCOEF);
constexpr std::uint64_t kCoefficientBytesPerMaxPixel = 4;

// Scans × pixels that a file may ask for. Between the bounds, since real files have up to some 20 scans, and
// no file needs more than 500.
constexpr std::uint64_t kMaxScanPixels = 10'000'000'000;
constexpr std::uint64_t kMinScanLimit = 50, kMaxScanLimit = 500;

std::uint64_t count_pixels(const jpeg_decompress_struct& libjpeg) {
  return std::uint64_t{libjpeg.image_width} * libjpeg.image_height;
}

// Blocks of all components, padding apart.
std::uint64_t count_blocks(const jpeg_decompress_struct& libjpeg) {
  std::uint64_t blocks = 0;
  for (int i = 0; i < libjpeg.num_components; ++i) {
    const jpeg_component_info& component = libjpeg.comp_info[i];
    blocks += std::uint64_t{component.width_in_blocks} * component.height_in_blocks;
  }
  return blocks;
}

}  // namespace

Result<void> check_limits(const jpeg_decompress_struct& libjpeg, std::size_t file_bytes,
                          std::uint64_t max_pixels, std::uint64_t coefficient_rooms,
                          std::string_view operation) {
  const std::string size = fmt::format("{} x {} pixels", libjpeg.image_width, libjpeg.image_height);
  if (count_pixels(libjpeg) > max_pixels) {
    return fail(ErrorCode::out_of_resources, {.operation = std::string(operation),
                                              .found = size,
                                              .allowed = fmt::format("{} pixels", max_pixels),
                                              .next_step = "raise max_pixels if the file is to be trusted"});
  }
  const std::uint64_t blocks = count_blocks(libjpeg);
  // A block takes at least one bit of Huffman code (that of its DC coefficient), so this file cannot be
  // whole; what it lacks would be gray, at the cost of the size that it claims.
  if (!libjpeg.arith_code && std::uint64_t{file_bytes} * 8 < blocks) {
    return fail(ErrorCode::corrupt_data,
                {.operation = std::string(operation),
                 .found = fmt::format("{} bytes that claim {}", file_bytes, size),
                 .allowed = fmt::format("{} bytes or more for that size", (blocks + 7) / 8)});
  }
  const std::uint64_t bytes = coefficient_rooms * blocks * kBlockBytes;
  if (bytes > kCoefficientBytesPerMaxPixel * max_pixels) {
    return fail(ErrorCode::out_of_resources,
                {.operation = std::string(operation),
                 .found = fmt::format("{}, whose coefficients take {} bytes at once", size, bytes),
                 .allowed = fmt::format("{} bytes", kCoefficientBytesPerMaxPixel * max_pixels),
                 .next_step = "raise max_pixels if the file is to be trusted"});
  }
  return {};
}

ScanLimit::ScanLimit(LibjpegGuard& guard) : guard_(guard) {
  progress_.owner = this;
  progress_.manager.progress_monitor = [](j_common_ptr common) {
    const auto* libjpeg = reinterpret_cast<const jpeg_decompress_struct*>(common);
    reinterpret_cast<Progress*>(common->progress)->owner->check(*libjpeg);
  };
}

void ScanLimit::watch(jpeg_decompress_struct& libjpeg) {
  libjpeg.progress = &progress_.manager;
  limit_ = static_cast<int>(kMaxScanLimit);
}

void ScanLimit::set_for(const jpeg_decompress_struct& libjpeg) {
  limit_ = static_cast<int>(std::clamp(kMaxScanPixels / count_pixels(libjpeg), kMinScanLimit, kMaxScanLimit));
}

void ScanLimit::check(const jpeg_decompress_struct& libjpeg) {
  if (libjpeg.input_scan_number > limit_) {
    guard_.give_up(ErrorCode::corrupt_data, "more scans than a picture of this size may have");
  }
}

}  // namespace stoker::jpeg
