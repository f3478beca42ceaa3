// Coefficients → samples: libjpeg-turbo's accurate integer inverse DCT, to the bit, and its smaller sizes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stoker::jpeg {

// 64 coefficients of a block in natural order, as the entropy stage leaves them: not yet dequantised.
// Aligned to 32 bytes.
using Coefficients = std::int16_t;

// One block of work.
struct BlockJob {
  Coefficients* coefficients = nullptr;  // 64; zeroed by the transform, so that the next picture finds zeros
  std::uint8_t* samples = nullptr;       // the block's top left sample
};

// The side of a block's samples: 8 is the full size; 4, 2, 1 are libjpeg's DCT-scaled decoding.
enum class BlockSize : int { full = 8, half = 4, quarter = 2, eighth = 1 };

// Dequantises by `quant` (natural order), transforms, clips to 0..255, writes size × size samples `stride`
// bytes apart, and wipes the coefficients. No two jobs share memory.
// Source: the full size equals libjpeg-turbo's jidctint; half, quarter and eighth equal its jidctred. They do
// so for all coefficients, even those of damaged files, as far as its SIMD for x86 is meant, which wraps and
// saturates at 16 bits.
void inverse_transform(const std::array<std::uint16_t, 64>& quant, BlockSize size, const BlockJob* jobs,
                       std::size_t count, std::size_t stride);

// The reference without SIMD; results are equal.
void inverse_transform_scalar(const std::array<std::uint16_t, 64>& quant, BlockSize size,
                              const BlockJob* jobs, std::size_t count, std::size_t stride);

}  // namespace stoker::jpeg
