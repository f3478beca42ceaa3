#include "pack/duplicates.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/endian.hpp"

namespace stoker::packing {

namespace {

constexpr std::size_t kChecksumBytes = 16;
constexpr std::uint64_t kHeld = std::uint64_t{1} << 22;  // checksums in memory
constexpr std::uint64_t kExpected = kHeld / 2;           // of a pass, if none was a duplicate
constexpr std::size_t kPiece = kChecksumBytes << 14;

Checksum load(const std::byte* from) {
  return {load_le<std::uint32_t>(from), load_le<std::uint32_t>(from + 4), load_le<std::uint64_t>(from + 8)};
}

auto identity(const Checksum& checksum) { return std::tuple(checksum.crc32c, checksum.bytes); }

// Leaves the first of each kind, and tells the others.
void tell_duplicates(std::vector<Checksum>& held, const std::function<void(const DuplicateSample&)>& visit) {
  std::sort(held.begin(), held.end(), [](const Checksum& a, const Checksum& b) {
    return std::tuple(identity(a), a.sample) < std::tuple(identity(b), b.sample);
  });
  std::vector<DuplicateSample> found;
  std::size_t kept = 0;
  for (const Checksum& checksum : held) {
    if (kept > 0 && identity(held[kept - 1]) == identity(checksum))
      found.push_back({checksum.sample, held[kept - 1].sample});
    else
      held[kept++] = checksum;
  }
  held.resize(kept);
  std::sort(found.begin(), found.end(),
            [](const DuplicateSample& a, const DuplicateSample& b) { return a.sample < b.sample; });
  for (const DuplicateSample& duplicate : found) visit(duplicate);
}

}  // namespace

void append_checksum(const Checksum& checksum, std::string& out) {
  std::array<std::byte, kChecksumBytes> bytes;
  store_le(bytes.data(), checksum.crc32c);
  store_le(bytes.data() + 4, checksum.bytes);
  store_le(bytes.data() + 8, checksum.sample);
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void find_duplicates(Store& store, const std::vector<std::string>& checksum_files,
                     const std::function<void(const DuplicateSample&)>& visit) {
  std::uint64_t total = 0;
  for (const std::string& path : checksum_files)
    if (const auto info = store.info(path)) total += info->bytes / kChecksumBytes;
  const std::uint64_t passes = total / kExpected + 1;
  std::vector<Checksum> held;
  std::vector<std::byte> piece(kPiece);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    held.clear();
    for (const std::string& path : checksum_files) {
      const auto file = store.open_read(path);
      for (std::uint64_t at = 0; const std::size_t got = file->read_at(at, piece); at += got)
        for (std::size_t i = 0; i + kChecksumBytes <= got; i += kChecksumBytes) {
          const Checksum checksum = load(piece.data() + i);
          if (checksum.crc32c % passes != pass) continue;
          if (held.size() >= kHeld) tell_duplicates(held, visit);
          held.push_back(checksum);
        }
    }
    tell_duplicates(held, visit);
  }
}

}  // namespace stoker::packing
