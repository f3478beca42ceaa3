// from_f16 for every instruction set that Highway knows, chosen at run time.
#include "array/halves.hpp"

#include <cstdint>

#include "base/endian.hpp"
#include "base/float16.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "array/halves.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::array::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

std::size_t halves_to_floats(const std::byte*, float*, std::size_t) { return 0; }

#else

namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors; returns how many numbers they took. Highway's own promotion takes infinity for a number
// where the processor has none.
std::size_t halves_to_floats(const std::byte* from, float* out, std::size_t count) {
  const hn::ScalableTag<float> floats;
  const hn::RebindToUnsigned<decltype(floats)> bits;
  const hn::RebindToSigned<decltype(floats)> compared;
  const hn::Rebind<std::uint16_t, decltype(floats)> halves;
  const hn::Repartition<std::uint8_t, decltype(halves)> bytes;
  const std::size_t lanes = hn::Lanes(floats);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto loaded = hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from) + 2 * i);
    const auto half = hn::PromoteTo(bits, hn::BitCast(halves, loaded));
    const auto magnitude = hn::And(half, hn::Set(bits, 0x7FFF));
    const auto sign = hn::ShiftLeft<16>(hn::AndNot(hn::Set(bits, 0x7FFF), half));
    const auto shifted = hn::ShiftLeft<13>(magnitude);
    const auto finite = hn::BitCast(bits, hn::Mul(hn::BitCast(floats, shifted), hn::Set(floats, 0x1p112F)));
    const auto other = hn::Or(shifted, hn::Set(bits, 0x7F800000));
    const auto is_other = hn::Gt(hn::BitCast(compared, magnitude), hn::Set(compared, 0x7BFF));
    const auto value = hn::IfThenElse(hn::RebindMask(bits, is_other), other, finite);
    hn::StoreU(hn::BitCast(floats, hn::Or(sign, value)), floats, out + i);
  }
  return i;
}

#endif  // scalar targets

}  // namespace stoker::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::array {

HWY_EXPORT(halves_to_floats);

void floats_from_halves(const std::byte* from, std::span<float> out) {
  const std::size_t done = HWY_DYNAMIC_DISPATCH(halves_to_floats)(from, out.data(), out.size());
  for (std::size_t i = done; i < out.size(); ++i) out[i] = from_f16(load_le<std::uint16_t>(from + 2 * i));
}

}  // namespace stoker::array
#endif
