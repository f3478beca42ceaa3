// RGB pixels → PNG or WebP bytes. Free functions: the libraries keep no state worth reusing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "image/resize.hpp"

namespace stoker::image {

// 8 bits a channel; `gray` takes the first channel only. `exif`: a TIFF block for an eXIf chunk; empty: none.
// Errors: out_of_resources, internal.
Result<void> encode_png(const RgbView& pixels, bool gray, std::span<const std::byte> exif,
                        std::vector<std::byte>& out);

// Quality 1..100 as libwebp has it; `lossless` ignores it.
// Errors: out_of_resources, internal.
Result<void> encode_webp(const RgbView& pixels, int quality, bool lossless, std::vector<std::byte>& out);

// Whether a WebP file holds lossless pixels (VP8L).
bool webp_is_lossless(std::span<const std::byte> bytes);

}  // namespace stoker::image
