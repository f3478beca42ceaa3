// Checksums of byte runs; both continue from the value of the run before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stoker {

// CRC-32C (Castagnoli, reflected 0x82F63B78), by the instruction of SSE 4.2 or ARMv8 where the CPU has it.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);
// The same by table: the reference that the fast one must equal.
std::uint32_t crc32c_reference(std::span<const std::byte> bytes, std::uint32_t before = 0);
// The CRC-32C of two runs behind each other, from the CRC-32C of each and the second's length.
// Cost: one step for each binary digit of the length.
std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes);
// zlib's CRC-32 (reflected 0xEDB88320).
std::uint32_t crc32_zlib(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace stoker
