#include "store/crc_of_file.hpp"

#include <span>
#include <vector>

#include "base/crc.hpp"

namespace stoker::store {

std::uint32_t crc_of_file(const ReadableFile& file) {
  std::vector<std::byte> piece(std::size_t{1} << 20);
  std::uint32_t crc = 0;
  std::uint64_t offset = 0;
  while (const std::size_t got = file.read_at(offset, piece)) {
    crc = crc32c(std::span(piece).first(got), crc);
    offset += got;
  }
  return crc;
}

}  // namespace stoker::store
