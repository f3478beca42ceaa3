// Whole compressed files, unpacked as a stream.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "stoker/store.hpp"

#include "record/container_format.hpp"

namespace stoker::record {

enum class Compression { gzip, zstd };
std::string_view to_string(Compression compression);

bool is_gzip(std::span<const std::byte> head);

// Takes the next unpacked bytes; false: enough.
using ByteSink = std::function<bool(std::span<const std::byte>)>;

// Unpacks `file` from its first byte, one member or frame after another, until it ends or the sink has
// enough. What is damaged, with its place in `file`, or none; the sink has got what lies before. Zero bytes
// behind the last member are no damage. Threads: from many at once. Cost: 1 MiB of memory, for zstd its
// window (128 MiB at most). Errors (thrown): io, out_of_resources, and what the sink throws.
std::optional<Damage> decompress(Compression compression, const ReadableFile& file, const ByteSink& sink);

}  // namespace stoker::record
