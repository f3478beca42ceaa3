// What the header of an image tells, whatever kind it is.
#pragma once

#include <cstddef>
#include <span>

#include "stoker/image.hpp"

#include "base/result.hpp"

namespace stoker::image {

// Errors: as stoker::read_image_info.
Result<ImageInfo> read_info(std::span<const std::byte> bytes);

// Says that these bytes are no image that this build reads, and what they are instead.
Error not_readable(std::span<const std::byte> bytes, ImageKind kind);

}  // namespace stoker::image
