#include "base/crc.hpp"

#include <array>
#include <zlib.h>

#include "base/endian.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace stoker {

namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0x82F63B78u : value >> 1;
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = make_table();

#if defined(__x86_64__)
#define STOKER_CRC_TARGET __attribute__((target("sse4.2")))
#elif defined(__aarch64__)
#define STOKER_CRC_TARGET __attribute__((target("+crc")))
#endif

#if defined(STOKER_CRC_TARGET)

#if defined(__x86_64__)
bool cpu_has_crc32c() { return __builtin_cpu_supports("sse4.2"); }
using Crc = std::uint64_t;  // as the instruction has it: narrowing between steps would cost one more each
STOKER_CRC_TARGET inline Crc step(Crc crc, std::uint64_t word) { return _mm_crc32_u64(crc, word); }
STOKER_CRC_TARGET inline Crc step(Crc crc, std::byte byte) {
  return _mm_crc32_u8(static_cast<std::uint32_t>(crc), static_cast<std::uint8_t>(byte));
}
#else
bool cpu_has_crc32c() {
  constexpr unsigned long kHasCrc32 = 1ul << 7;  // HWCAP_CRC32 of Linux
  return (getauxval(AT_HWCAP) & kHasCrc32) != 0;
}
using Crc = std::uint32_t;
STOKER_CRC_TARGET inline Crc step(Crc crc, std::uint64_t word) { return __crc32cd(crc, word); }
STOKER_CRC_TARGET inline Crc step(Crc crc, std::byte byte) {
  return __crc32cb(crc, static_cast<std::uint8_t>(byte));
}
#endif

// The instruction takes 3 cycles and starts one a cycle, so three runs of kLane bytes go side by side.
// Their values join by the operator "advance a CRC by kLane zero bytes", which is linear: four tables of 256.
constexpr std::size_t kLane = 2048;

struct AdvanceTables {
  std::array<std::array<std::uint32_t, 256>, 4> table{};
  AdvanceTables() {
    std::array<std::uint32_t, 32> of_bit{};
    for (int bit = 0; bit < 32; ++bit) {
      std::uint32_t value = 1u << bit;
      for (std::size_t i = 0; i < kLane; ++i) value = value >> 8 ^ kTable[value & 0xFF];
      of_bit[bit] = value;
    }
    for (int byte = 0; byte < 4; ++byte)
      for (std::uint32_t i = 0; i < 256; ++i)
        for (int bit = 0; bit < 8; ++bit)
          if (i >> bit & 1) table[byte][i] ^= of_bit[byte * 8 + bit];
  }
  std::uint32_t operator()(std::uint32_t crc) const {
    return table[0][crc & 0xFF] ^ table[1][crc >> 8 & 0xFF] ^ table[2][crc >> 16 & 0xFF] ^
           table[3][crc >> 24];
  }
};

STOKER_CRC_TARGET std::uint32_t crc32c_hardware(std::span<const std::byte> bytes, std::uint32_t before) {
  static const AdvanceTables advance;
  const std::byte* p = bytes.data();
  std::size_t left = bytes.size();
  Crc crc = ~before;
  while (left >= 3 * kLane) {
    Crc second = 0, third = 0;
    for (std::size_t i = 0; i < kLane; i += 8) {
      crc = step(crc, load_le<std::uint64_t>(p + i));
      second = step(second, load_le<std::uint64_t>(p + kLane + i));
      third = step(third, load_le<std::uint64_t>(p + 2 * kLane + i));
    }
    crc = advance(static_cast<std::uint32_t>(crc)) ^ second;
    crc = advance(static_cast<std::uint32_t>(crc)) ^ third;
    p += 3 * kLane;
    left -= 3 * kLane;
  }
  for (; left >= 8; p += 8, left -= 8) crc = step(crc, load_le<std::uint64_t>(p));
  for (; left > 0; ++p, --left) crc = step(crc, *p);
  return ~static_cast<std::uint32_t>(crc);
}

#endif

}  // namespace

std::uint32_t crc32c_reference(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (const std::byte b : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<std::uint32_t>(b)) & 0xFF];
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
#if defined(STOKER_CRC_TARGET)
  static const bool in_hardware = cpu_has_crc32c();
  if (in_hardware) return crc32c_hardware(bytes, before);
#endif
  return crc32c_reference(bytes, before);
}

std::uint32_t crc32_zlib(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

namespace {

// A linear operator on CRCs, as what it makes of each bit.
using CrcOperator = std::array<std::uint32_t, 32>;

std::uint32_t apply(const CrcOperator& op, std::uint32_t crc) {
  std::uint32_t out = 0;
  for (std::size_t bit = 0; crc != 0; ++bit, crc >>= 1)
    if (crc & 1) out ^= op[bit];
  return out;
}

}  // namespace

std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  CrcOperator advance;  // by one zero byte, then by two, four, …
  for (std::size_t bit = 0; bit < advance.size(); ++bit) {
    const std::uint32_t value = std::uint32_t{1} << bit;
    advance[bit] = value >> 8 ^ kTable[value & 0xFF];
  }
  for (; second_bytes != 0; second_bytes >>= 1) {
    if (second_bytes & 1) first = apply(advance, first);
    CrcOperator twice;
    for (std::size_t bit = 0; bit < twice.size(); ++bit) twice[bit] = apply(advance, advance[bit]);
    advance = twice;
  }
  return first ^ second;
}

}  // namespace stoker
