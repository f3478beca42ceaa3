// Images that stand in a pack more than once, by CRC-32C and size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stoker/pack.hpp"
#include "stoker/store.hpp"

namespace stoker::packing {

// Of one packed image; 16 bytes in a file of checksums.
struct Checksum {
  std::uint32_t crc32c = 0;
  std::uint32_t bytes = 0;
  std::uint64_t sample = 0;  // its place in the source's order
};

void append_checksum(const Checksum& checksum, std::string& out);

// Calls `visit` for every image that equals one before it, with the first such one. The files are those of
// shards in order; so is the order of calls fixed by them alone. Cost: 128 MiB of memory, also where nearly
// all are equal; reads the files once for every two million checksums in them. Errors: io.
void find_duplicates(Store& store, const std::vector<std::string>& checksum_files,
                     const std::function<void(const DuplicateSample&)>& visit);

}  // namespace stoker::packing
