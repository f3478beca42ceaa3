#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "jpeg/unstuff.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "jpeg/unstuff.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::jpeg::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

Unstuffed unstuff(const std::uint8_t* source, const std::uint8_t* end, std::uint8_t* target,
                  std::vector<std::uint32_t>* dropped, const std::uint8_t* origin) {
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint8_t, 32> d;  // an FF comes every 200 bytes or so
  const auto ff = hn::Set(d, 0xff);
  const auto step = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  while (end - source > step) {  // so that the byte behind an FF is there
    const auto bytes = hn::LoadU(d, source);
    hn::StoreU(bytes, d, target);
    const std::ptrdiff_t at = hn::FindFirstTrue(d, hn::Eq(bytes, ff));
    if (at < 0) {
      source += step;
      target += step;
      continue;
    }
    if (source[at + 1] != 0) return {source + at, target + at};
    source += at + 2;
    target += at + 1;
    if (dropped != nullptr) dropped->push_back(static_cast<std::uint32_t>(target - origin));
  }
#endif
  return unstuff_scalar(source, end, target, dropped, origin);
}

}  // namespace stoker::jpeg::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::jpeg {

HWY_EXPORT(unstuff);

Unstuffed unstuff(const std::uint8_t* source, const std::uint8_t* end, std::uint8_t* target,
                  std::vector<std::uint32_t>* dropped, const std::uint8_t* origin) {
  return HWY_DYNAMIC_DISPATCH(unstuff)(source, end, target, dropped, origin);
}

Unstuffed unstuff_scalar(const std::uint8_t* source, const std::uint8_t* end, std::uint8_t* target,
                         std::vector<std::uint32_t>* dropped, const std::uint8_t* origin) {
  while (source != end) {
    if (*source != 0xff || end - source == 1) {
      *target++ = *source++;
      continue;
    }
    if (source[1] != 0) break;
    *target++ = 0xff;
    source += 2;
    if (dropped != nullptr) dropped->push_back(static_cast<std::uint32_t>(target - origin));
  }
  return {source, target};
}

}  // namespace stoker::jpeg
#endif
