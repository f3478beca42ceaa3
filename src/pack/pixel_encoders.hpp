// RGB pixels → PNG or WebP bytes. Free functions: the libraries keep no state worth reusing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "image/resize.hpp"

namespace stoker::packing {

// 8 bits a channel; `gray` takes the first channel only. An orientation of 2..8 is written as an eXIf chunk.
// Errors: out_of_resources, internal.
Result<void> encode_png(const image::RgbView& pixels, bool gray, int orientation,
                        std::vector<std::byte>& out);

// Quality 1..100 as libwebp has it; `lossless` ignores it.
// Errors: out_of_resources, internal.
Result<void> encode_webp(const image::RgbView& pixels, int quality, bool lossless,
                         std::vector<std::byte>& out);

// Whether a WebP file holds lossless pixels (VP8L).
bool webp_is_lossless(std::span<const std::byte> bytes);

}  // namespace stoker::packing
