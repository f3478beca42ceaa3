// One sample's image bytes → the bytes that are packed. One a thread, memory reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/pack.hpp"

#include "base/result.hpp"
#include "image/decoder.hpp"
#include "image/resize.hpp"
#include "jpeg/encoder.hpp"
#include "jpeg/transcode.hpp"
#include "pack/image_plan.hpp"

namespace stoker::packing {

// What was done to an image; several may hold. The names are keys of PackReport::changed.
enum class Change : std::uint32_t {
  resized = 1U << 0,
  enlarged = 1U << 1,
  cropped = 1U << 2,
  reencoded = 1U << 3,          // any rewritten image
  converted_to_jpeg = 1U << 4,  // from another kind
  converted_to_png = 1U << 5,
  converted_to_rgb = 1U << 6,  // CMYK, YCCK or alpha before
  scaled_decode = 1U << 7,     // decoded at 1/2, 1/4 or 1/8 before the resize
  decoded_with_warning = 1U << 8,
  orientation_lost = 1U << 9,  // a kind of file in which it could not be kept (WebP)
  baselined = 1U << 10,        // a JPEG of another process, its pixels the same
  uprighted = 1U << 11,        // turned by its EXIF orientation
};

class Changes {
 public:
  void add(Change change) { bits_ |= static_cast<std::uint32_t>(change); }
  bool has(Change change) const { return (bits_ & static_cast<std::uint32_t>(change)) != 0; }
  bool empty() const { return bits_ == 0; }
  // Adds one to the count of each kind that holds.
  void count_into(std::map<std::string, std::uint64_t>& counts) const;

 private:
  std::uint32_t bits_ = 0;
};

// Owns nothing: `bytes` are the source's own where the sample passes through, else the rewriter's until its
// next call.
struct Rewritten {
  std::span<const std::byte> bytes;
  bool passed_through = true;
  Changes changes;
  std::string warning;  // empty: none
  std::string kept;     // process and reason, where it was to become baseline and did not; empty: it was not
};

// Threads: one at a time.
class SampleRewriter {
 public:
  explicit SampleRewriter(const PackOptions& options);

  // `must_be_image`: the header is looked at even where the bytes pass through.
  // Errors: corrupt_data, unsupported, out_of_resources (of this sample), internal.
  Result<Rewritten> run(std::span<const std::byte> bytes, bool must_be_image);

 private:
  struct Pixels {
    image::RgbView view;
    std::string_view warning;
    bool scaled = false;  // by JPEG's inverse transform
  };
  // Whether the new bytes are in `result`.
  bool transcode(std::span<const std::byte> bytes, const ImageInfo& info, const ImagePlan& plan,
                 Rewritten& result);
  Result<Pixels> decode(std::span<const std::byte> bytes, Size stored, const ImagePlan& plan);
  Result<std::span<const std::byte>> encode(const Pixels& pixels, std::span<const std::byte> source,
                                            const ImageInfo& info, const ImagePlan& plan, Changes& changes);

  PackOptions options_;
  const bool touches_pixels_;
  image::Decoder decoder_;
  image::Resizer resizer_;
  jpeg::Encoder jpeg_encoder_;
  jpeg::Transcoder transcoder_;
  std::vector<std::uint8_t> resized_;
  std::vector<std::uint8_t> turned_;
  std::vector<std::byte> encoded_;
};

}  // namespace stoker::packing
