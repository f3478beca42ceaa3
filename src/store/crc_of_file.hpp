// The checksum of a whole file, as manifests hold it.
#pragma once

#include <cstdint>

#include "stoker/store.hpp"

namespace stoker::store {

// CRC-32C. Cost: one read of the file, 1 MiB of memory. Errors (thrown): io, unavailable.
std::uint32_t crc_of_file(const ReadableFile& file);

}  // namespace stoker::store
