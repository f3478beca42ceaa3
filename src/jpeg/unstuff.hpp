// Entropy-coded bytes without their stuffed zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stoker::jpeg {

struct Unstuffed {
  const std::uint8_t* source = nullptr;  // where it stopped: at a marker's FF, or the end
  std::uint8_t* target = nullptr;        // behind the last byte written
};

// Bytes that may be written behind the target's end.
inline constexpr std::size_t kUnstuffSlack = 64;

// Copies [source, end) to `target`, dropping the 00 behind each FF, up to the first marker (FF and neither 00
// nor the end behind it). Nothing outside of [source, end) is read. `dropped`, if given, gets the number of
// bytes written in front of each dropped zero, counted from `origin`.
Unstuffed unstuff(const std::uint8_t* source, const std::uint8_t* end, std::uint8_t* target,
                  std::vector<std::uint32_t>* dropped = nullptr, const std::uint8_t* origin = nullptr);

// The reference without SIMD; results are equal.
Unstuffed unstuff_scalar(const std::uint8_t* source, const std::uint8_t* end, std::uint8_t* target,
                         std::vector<std::uint32_t>* dropped = nullptr, const std::uint8_t* origin = nullptr);

}  // namespace stoker::jpeg
