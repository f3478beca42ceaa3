// Image bytes (+ crop + size) → RGB pixels, equal to Pillow's to the byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stoker {

struct Size {
  int width = 0;
  int height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

// Pixels [x, x + width) × [y, y + height).
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

// Found by content. The last four are recognised to be refused by name.
enum class ImageKind { unknown, jpeg, png, webp, gif, bmp, tiff, pnm };
std::string_view to_string(ImageKind kind);

// What the header of an image tells; nothing here was allocated by what it claims.
struct ImageInfo {
  ImageKind kind = ImageKind::unknown;
  std::string process;  // JPEG: baseline, ext-seq, progressive, lossless, arith-seq, arith-prog; else empty
  int width = 0;        // stored orientation
  int height = 0;
  int components = 0;
  std::string sampling;      // JPEG: "2x2 1x1 1x1" (h×v of each component); else empty
  int restart_interval = 0;  // JPEG: in MCUs, 0 = none
  int orientation = 1;       // EXIF 1..8; 0 or out of range counts as 1
};

enum class Filter { bilinear, bicubic };
std::string_view to_string(Filter filter);

// How pixels come out. exact: equal to Pillow's to the byte. fast: JPEGs are resized plane by plane, each
// from its own resolution, from a smaller inverse transform where the resize shrinks by 2.5 or more;
// docs/decoder.md tells the error. What is no resized baseline JPEG comes out exact in either mode.
enum class PixelMode { exact, fast };
std::string_view to_string(PixelMode mode);

inline constexpr std::uint64_t kDefaultMaxPixels = 256'000'000;

// Which pixels are wanted: crop, then resize, then a window of the result. Everything is in stored
// orientation.
struct DecodeSpec {
  std::optional<Rect> crop;    // inside the image; default: all of it
  std::optional<Size> resize;  // of the crop, antialiased; default: none
  std::optional<Rect> window;  // of the resized crop; what lies outside it comes out zero; default: all of it
  Filter filter = Filter::bilinear;
  PixelMode pixels = PixelMode::exact;
  std::uint64_t max_pixels =
      kDefaultMaxPixels;  // of the stored image; more is refused before anything is allocated
  // What make_seek_points() gave for these very bytes; empty: none. Of the caller's memory. Points that do
  // not fit the bytes cost time and nothing else.
  std::span<const std::byte> seek_points = {};
};

// Pixels of an image. Shape: height × width × 3, RGB, rows without padding.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  std::string warning;  // the decoder's first complaint about bytes that it could still read; empty: none
};

// Errors: corrupt_data, unsupported (an image kind that this build does not read).
ImageInfo read_image_info(std::span<const std::byte> bytes);

// Gray, CMYK, YCCK, palette and alpha images come out as Pillow's convert("RGB") has them.
// Errors: corrupt_data, unsupported, out_of_resources (more than max_pixels), invalid_argument (a crop
// outside the image).
Image decode_image(std::span<const std::byte> bytes, const DecodeSpec& spec = {});

// Where a decoder may enter a JPEG's data, packed (docs/formats/seek-index.md), every `interval` MCUs (0: 8,
// or 4 of subsampled files). Empty where it needs none or can have none: no baseline JPEG, restart markers,
// damage. Cost: one pass over the bits, a third of a decode.
std::vector<std::byte> make_seek_points(std::span<const std::byte> bytes, int interval = 0);

}  // namespace stoker
