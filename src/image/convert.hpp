// RGB bytes → the numbers of a tensor: flip, normalise, number type, layout, in one pass over the pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "stoker/recipe.hpp"

#include "base/float16.hpp"
#include "image/resize.hpp"

namespace stoker::image {

// What each byte value becomes in each channel: the definition of the conversion, which any faster way must
// equal. Without normalise a value stays the number that it is, 0..255. With it, in single precision and in
// this order:
// ((value / 255) - mean) / std, as torchvision computes it. f16 and bf16 are that, rounded to nearest, ties
// to even.
class ConvertTable {
 public:
  ConvertTable(DType dtype, const std::optional<Normalize>& normalize);

  DType dtype() const { return dtype_; }
  // The bits of `value` in `channel`; for f16 and bf16 the low 16 are used, for u8 the low 8.
  std::uint32_t bits(int channel, std::uint8_t value) const {
    return bits_[static_cast<std::size_t>(channel)][value];
  }
  // What the SIMD loop computes with. It multiplies by inverses, each the sum of two numbers, and is used
  // only if that gave the table's bits for all 256 values of all channels when this was made.
  struct Arithmetic {
    bool normalize = false;
    std::array<float, 3> mean{}, inverse_high{}, inverse_low{};  // of std
  };
  const Arithmetic& arithmetic() const { return arithmetic_; }
  bool is_simd_exact() const { return simd_exact_; }

 private:
  DType dtype_;
  std::array<std::array<std::uint32_t, 256>, 3> bits_;
  Arithmetic arithmetic_;
  bool simd_exact_ = false;
};

// Single precision → bfloat16, to nearest, ties to even; base/float16.hpp has half precision.
std::uint16_t to_bf16(float value);

// Writes pixels.width × pixels.height × 3 numbers to `out`, left and right exchanged where `flip`.
// Shape: 3 × height × width (nchw) or height × width × 3 (nhwc), packed; `out` is aligned to its number type.
void convert(const RgbView& pixels, bool flip, const ConvertTable& table, Layout layout, std::byte* out);
// The same by table alone: the reference that convert() equals to the bit.
void convert_scalar(const RgbView& pixels, bool flip, const ConvertTable& table, Layout layout,
                    std::byte* out);

}  // namespace stoker::image
