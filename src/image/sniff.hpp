// What kind of file some bytes are, by content alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "stoker/image.hpp"

namespace stoker::image {

// By the first bytes; names and endings play no part.
ImageKind sniff(std::span<const std::byte> bytes);

// What bytes that are no readable image look like, for people: "a git-LFS pointer", "text", "bytes that begin
// with 00 1a".
std::string describe(std::span<const std::byte> bytes);

}  // namespace stoker::image
