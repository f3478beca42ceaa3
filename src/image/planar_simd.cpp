// The inner loops of a planar resize for every instruction set that Highway knows, chosen at run time.
#include <algorithm>
#include <cstring>

#include "image/avx512_loops.hpp"
#include "image/planar_colour.hpp"
#include "image/planar_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "image/planar_simd.cpp"
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "jpeg/simd_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace stoker::image::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void across(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources, std::int16_t* const* outs) {
  for (int i = 0; i < kPlanarRows; ++i) scalar::planar_across(*plan.axis, bias, sources[i], outs[i]);
}

void down(const PlanarTaps& taps, std::size_t width, std::int16_t* out) {
  scalar::planar_down(taps, width, out);
}

void colour(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width, std::uint8_t* rgb) {
  scalar::planar_colour(channels, colour, width, rgb);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using namespace jpeg::HWY_NAMESPACE;  // NOLINT: the vectors of blocks

// Rows are a vector's blocks: `kBlocks` of them at once.
inline constexpr int kVectors = kPlanarRows / static_cast<int>(kBlocks);

// Four output pixels of kPlanarRows rows, from quad `quad` on. kPairs: pairs of taps, or 0 where only the
// plan knows.
template <int kPairs>
HWY_INLINE void make_quad(const PlanarPlan& plan, int bias, std::size_t quad,
                          const std::uint8_t* const* sources, V32* sums) {
  const int pairs = kPairs > 0 ? kPairs : plan.pairs;
  std::ptrdiff_t offset = plan.offsets[quad];
  const V16 mask = hn::BitCast(D16(), hn::LoadDup128(D8(), plan.masks.data() + 16 * quad));
  const std::int16_t* weights = plan.weights.data() + quad * static_cast<std::size_t>(pairs) * 8;
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::Set(D32(), planar_start(bias));
  for (int pair = 0; pair < pairs; ++pair, offset += 2, weights += 8) {
    const V16 weight = hn::LoadDup128(D16(), weights);
    for (int v = 0; v < kVectors; ++v) {
      const V16 bytes = hn::BitCast(D16(), load_blocks(sources + v * static_cast<int>(kBlocks), offset));
      sums[v] = hn::Add(sums[v], multiply_pairs(hn::TableLookupBytesOr0(bytes, mask), weight));
    }
  }
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::ShiftRight<kAcrossShift>(sums[v]);
}

template <int kPairs>
void across_with(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources,
                 std::int16_t* const* outs) {
  for (std::size_t quad = 0; quad < plan.offsets.size(); quad += 2) {
    V32 left[kVectors], right[kVectors];
    make_quad<kPairs>(plan, bias, quad, sources, left);
    make_quad<kPairs>(plan, bias, quad + 1, sources, right);
    for (int v = 0; v < kVectors; ++v)
      store_blocks(hn::BitCast(D8(), narrow_in_blocks(left[v], right[v])),
                   outs + v * static_cast<int>(kBlocks), static_cast<std::ptrdiff_t>(4 * quad));
  }
}

void across(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources, std::int16_t* const* outs) {
  switch (plan.pairs) {
    case 1:
      return across_with<1>(plan, bias, sources, outs);
    case 2:
      return across_with<2>(plan, bias, sources, outs);
    case 3:
      return across_with<3>(plan, bias, sources, outs);
    default:
      return across_with<0>(plan, bias, sources, outs);
  }
}

HWY_INLINE V16 set16(std::int16_t value) { return hn::Set(D16(), value); }

// kTaps taps from `taps.rows` on, added to `out` where kAdds.
template <int kTaps, bool kAdds>
void down_with(const std::int16_t* const* rows, const std::int16_t* weights, std::size_t width,
               std::int16_t* HWY_RESTRICT out) {
  const D16 d;
  const std::int16_t* row[kTaps];
  V16 weight[kTaps];
  for (int tap = 0; tap < kTaps; ++tap) {
    row[tap] = rows[tap];
    weight[tap] = set16(weights[tap]);
  }
  for (std::size_t x = 0; x < width; x += hn::Lanes(d)) {
    V16 sum = hn::MulFixedPoint15(hn::LoadU(d, row[0] + x), weight[0]);
    if constexpr (kAdds) sum = hn::SaturatedAdd(hn::LoadU(d, out + x), sum);
    for (int tap = 1; tap < kTaps; ++tap)
      sum = hn::SaturatedAdd(sum, hn::MulFixedPoint15(hn::LoadU(d, row[tap] + x), weight[tap]));
    hn::StoreU(sum, d, out + x);
  }
}

template <bool kAdds>
void down_taps(const PlanarTaps& taps, int first, std::size_t width, std::int16_t* out) {
  const auto rows = taps.rows + first;
  const auto weights = taps.weights + first;
  switch (taps.count - first) {
    case 1:
      return down_with<1, kAdds>(rows, weights, width, out);
    case 2:
      return down_with<2, kAdds>(rows, weights, width, out);
    case 3:
      return down_with<3, kAdds>(rows, weights, width, out);
    default:
      return down_with<kTapsDown, kAdds>(rows, weights, width, out);
  }
}

void down(const PlanarTaps& taps, std::size_t width, std::int16_t* out) {
  down_taps<false>(taps, 0, width, out);
  for (int tap = kTapsDown; tap < taps.count; tap += kTapsDown) down_taps<true>(taps, tap, width, out);
  if (!taps.halved) return;
  const D16 d;
  for (std::size_t x = 0; x < width; x += hn::Lanes(d)) {
    const V16 half = hn::LoadU(d, out + x);
    hn::StoreU(hn::SaturatedAdd(half, half), d, out + x);
  }
}

struct Pixels {
  V16 channel[3];
};

template <jpeg::Colour kColour>
HWY_INLINE Pixels pixels_at(const std::int16_t* const* channels, std::size_t x) {
  const D16 d;
  const V16 y = hn::LoadU(d, channels[0] + x);
  if constexpr (kColour == jpeg::Colour::gray) return {{y, y, y}};
  const V16 cb = hn::LoadU(d, channels[1] + x), cr = hn::LoadU(d, channels[2] + x);
  if constexpr (kColour == jpeg::Colour::rgb) return {{y, cb, cr}};
  const V16 red = hn::SaturatedAdd(hn::SaturatedAdd(y, cr), hn::MulFixedPoint15(cr, set16(kRedOfCr)));
  const V16 green = hn::SaturatedAdd(hn::SaturatedAdd(y, hn::MulFixedPoint15(cb, set16(kGreenOfCb))),
                                     hn::MulFixedPoint15(cr, set16(kGreenOfCr)));
  const V16 blue = hn::SaturatedAdd(hn::SaturatedAdd(y, hn::SaturatedAdd(cb, cb)),
                                    hn::MulFixedPoint15(cb, set16(kBlueOfCb)));
  return {{red, green, blue}};
}

// 16 × kBlocks pixels as bytes, in order.
HWY_INLINE V8 sample_bytes(V16 low, V16 high) {
  const V16 left = hn::ShiftRight<kBetweenBits>(low), right = hn::ShiftRight<kBetweenBits>(high);
  const hn::Half<D8> half;
  return hn::Combine(D8(), hn::DemoteTo(half, right), hn::DemoteTo(half, left));
}

template <jpeg::Colour kColour>
void colour_with(const std::int16_t* const* channels, std::size_t width, std::uint8_t* rgb) {
  const D8 d8;
  const std::size_t lanes = hn::Lanes(d8);
  for (std::size_t x = 0; x < width; x += lanes) {
    const Pixels low = pixels_at<kColour>(channels, x), high = pixels_at<kColour>(channels, x + lanes / 2);
    V8 bytes[3];
    for (int c = 0; c < 3; ++c) bytes[c] = sample_bytes(low.channel[c], high.channel[c]);
    if (x + lanes <= width) {
      hn::StoreInterleaved3(bytes[0], bytes[1], bytes[2], d8, rgb + 3 * x);
    } else {
      HWY_ALIGN std::uint8_t pixels[3 * 16 * kBlocks];
      hn::StoreInterleaved3(bytes[0], bytes[1], bytes[2], d8, pixels);
      std::memcpy(rgb + 3 * x, pixels, 3 * (width - x));
    }
  }
}

void colour(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width, std::uint8_t* rgb) {
  switch (colour) {
    case jpeg::Colour::gray:
      return colour_with<jpeg::Colour::gray>(channels, width, rgb);
    case jpeg::Colour::rgb:
      return colour_with<jpeg::Colour::rgb>(channels, width, rgb);
    case jpeg::Colour::ycbcr:
      return colour_with<jpeg::Colour::ycbcr>(channels, width, rgb);
  }
}

#endif  // scalar targets

}  // namespace stoker::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stoker::image {

HWY_EXPORT(across);
HWY_EXPORT(down);
HWY_EXPORT(colour);

namespace {

// False: four output pixels do not have their first pairs of taps within 16 bytes.
bool plan_blocks(const PlanarAxis& axis, PlanarPlan& plan) {
  const std::size_t quads = axis.pitch / 4;
  const auto pairs = static_cast<std::size_t>((axis.used_taps + 1) / 2);
  plan.pairs = static_cast<int>(pairs);
  plan.offsets.resize(quads);
  plan.masks.resize(quads * 16);
  plan.weights.resize(quads * pairs * 8);
  for (std::size_t quad = 0; quad < quads; ++quad) {
    const std::int32_t* first = axis.first.data() + 4 * quad;
    plan.offsets[quad] = first[0];
    std::uint8_t* mask = plan.masks.data() + 16 * quad;
    for (int i = 0; i < 4; ++i) {
      const std::int32_t byte = first[i] - first[0];
      if (byte > 14) return false;
      *mask++ = static_cast<std::uint8_t>(byte);
      *mask++ = 0x80;
      *mask++ = static_cast<std::uint8_t>(byte + 1);
      *mask++ = 0x80;
    }
    std::int16_t* out = plan.weights.data() + quad * pairs * 8;
    const std::int16_t* weights = axis.weights.data() + 4 * quad;
    for (std::size_t pair = 0; pair < pairs; ++pair, weights += 2 * axis.pitch) {
      for (std::size_t i = 0; i < 4; ++i) {
        *out++ = weights[i];
        *out++ = weights[axis.pitch + i];
      }
    }
  }
  return true;
}

// Makes a dot product of each output pixel, whose taps lie far from the next one's.
void plan_one_by_one(const PlanarAxis& axis, PlanarPlan& plan) {
  const auto taps = static_cast<std::size_t>(axis.used_taps), size = static_cast<std::size_t>(axis.size());
  plan.weights.resize(size * taps);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t tap = 0; tap < taps; ++tap)
      plan.weights[i * taps + tap] = axis.weights[tap * axis.pitch + i];
}

void across_one_by_one(const PlanarPlan& plan, int bias, const std::uint8_t* source, std::int16_t* out) {
  const PlanarAxis& axis = *plan.axis;
  const std::int16_t* weights = plan.weights.data();
  for (int i = 0; i < axis.size(); ++i, weights += axis.used_taps) {
    const std::uint8_t* from = source + axis.first[static_cast<std::size_t>(i)];
    int sum = planar_start(bias);
    for (int tap = 0; tap < axis.count[static_cast<std::size_t>(i)]; ++tap) sum += from[tap] * weights[tap];
    out[i] = static_cast<std::int16_t>(std::clamp(sum >> kAcrossShift, -32768, 32767));
  }
}

}  // namespace

void plan_planar(const PlanarAxis& axis, PlanarPlan& plan) {
  plan.axis = &axis;
  if (use_avx512_loops() && vnni::plan(axis, plan)) {
    plan.loop = PlanarPlan::Loop::groups;
  } else if (plan_blocks(axis, plan)) {
    plan.loop = PlanarPlan::Loop::blocks;
  } else {
    plan.loop = PlanarPlan::Loop::one_by_one;
    plan_one_by_one(axis, plan);
  }
}

void planar_across_simd(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources,
                        std::int16_t* const* outs) {
  switch (plan.loop) {
    case PlanarPlan::Loop::groups:
      return vnni::planar_across(plan, bias, sources, outs);
    case PlanarPlan::Loop::blocks:
      return HWY_DYNAMIC_DISPATCH(across)(plan, bias, sources, outs);
    case PlanarPlan::Loop::one_by_one:
      for (int i = 0; i < kPlanarRows; ++i) across_one_by_one(plan, bias, sources[i], outs[i]);
  }
}

void planar_down_simd(const PlanarTaps& taps, std::size_t width, std::int16_t* out) {
  HWY_DYNAMIC_DISPATCH(down)(taps, width, out);
}

void planar_colour_simd(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width,
                        std::uint8_t* rgb) {
  if (use_avx512_loops()) return vnni::planar_colour(channels, colour, width, rgb);
  HWY_DYNAMIC_DISPATCH(colour)(channels, colour, width, rgb);
}

}  // namespace stoker::image
#endif
