#include "image/avx512_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/avx512_loops.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stoker::image::HWY_NAMESPACE {

bool is_avx512() { return HWY_TARGET <= HWY_AVX3; }

}  // namespace stoker::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

HWY_EXPORT(is_avx512);

bool use_avx512_loops() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool available = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                                __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
  return available && HWY_DYNAMIC_DISPATCH(is_avx512)();
#else
  return false;
#endif
}

}  // namespace stoker::image
#endif
