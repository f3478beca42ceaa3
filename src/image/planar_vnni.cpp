// Horizontally: one permutation brings four taps of each of 16 output pixels together, a dot product of bytes
// sums them up. A weight is split into two signed bytes, weight = 128 × high + low; as the sum is shifted by
// 7 bits anyway, that of `low` is shifted alone and that of `high` added to it: exact.
#include <algorithm>

#include "image/planar_colour.hpp"
#include "image/planar_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
// GCC 12's own header takes its idiom for "any value" for a use of an uninitialised one (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace stoker::image::vnni {

namespace {

constexpr std::size_t kGroup = 32;  // output pixels
constexpr int kTapsAtOnce = 4;      // of a step

#define STOKER_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")))

static_assert(kAcrossShift == 7, "the weights are split so");

// Where the taps of 32 output pixels lie, `first` being their first ones; false: further apart than 64 bytes.
// The pixels of the two vectors take turns by fours, as the instructions that pack two vectors want it.
STOKER_TARGET bool place_taps(const std::int32_t* first, PlanarGroup& group) {
  if (first[27] - first[0] + kTapsAtOnce > 64 || first[31] - first[4] + kTapsAtOnce > 64) return false;
  group.offset[0] = first[0];
  group.offset[1] = first[4];
  const __m512i early = _mm512_loadu_si512(first), late = _mm512_loadu_si512(first + 16);
  const __m512i each_byte = _mm512_set1_epi32(0x01010101), four_taps = _mm512_set1_epi32(0x03020100);
  const auto store = [&](__m512i firsts, int half) STOKER_TARGET {
    const __m512i byte = _mm512_sub_epi32(firsts, _mm512_set1_epi32(group.offset[half]));
    const __m512i index = _mm512_add_epi32(_mm512_mullo_epi32(byte, each_byte), four_taps);
    _mm512_store_si512(group.index[half], index);
  };
  store(_mm512_shuffle_i32x4(early, late, 0x88), 0);
  store(_mm512_shuffle_i32x4(early, late, 0xDD), 1);
  return true;
}

// The weights of the 32 output pixels from `weights` on, four taps of each.
STOKER_TARGET void split_weights(const std::int16_t* weights, std::size_t pitch, PlanarStep& out) {
  const __m512i half = _mm512_set1_epi16(64), byte = _mm512_set1_epi16(0xFF);
  __m512i high[kTapsAtOnce], low[kTapsAtOnce];
  for (std::size_t tap = 0; tap < kTapsAtOnce; ++tap) {
    const __m512i weight = _mm512_loadu_si512(weights + tap * pitch);
    high[tap] = _mm512_srai_epi16(_mm512_add_epi16(weight, half), 7);
    low[tap] = _mm512_sub_epi16(weight, _mm512_slli_epi16(high[tap], 7));
  }
  const auto join = [&](const __m512i* taps, std::int8_t(*to)[64]) STOKER_TARGET {
    const __m512i first = _mm512_or_si512(_mm512_and_si512(taps[0], byte), _mm512_slli_epi16(taps[1], 8));
    const __m512i second = _mm512_or_si512(_mm512_and_si512(taps[2], byte), _mm512_slli_epi16(taps[3], 8));
    _mm512_store_si512(to[0], _mm512_unpacklo_epi16(first, second));
    _mm512_store_si512(to[1], _mm512_unpackhi_epi16(first, second));
  };
  join(high, out.high);
  join(low, out.low);
}

// 16 output pixels of kPlanarRows rows. kSteps: the plan's steps, or 0 where only it knows.
template <int kSteps>
STOKER_TARGET inline void make_half(const PlanarPlan& plan, __m512i start, const PlanarGroup& group,
                                    const PlanarStep* steps, int half, const std::uint8_t* const* sources,
                                    __m512i* sums) {
  const __m512i index = _mm512_load_si512(group.index[half]);
  const std::int32_t offset = group.offset[half];
  if constexpr (kSteps > 0) {
    __m512i low[kSteps], high[kSteps];
    for (int step = 0; step < kSteps; ++step) {
      low[step] = _mm512_load_si512(steps[step].low[half]);
      high[step] = _mm512_load_si512(steps[step].high[half]);
    }
    for (int row = 0; row < kPlanarRows; ++row) {
      const std::uint8_t* source = sources[row] + offset;
      __m512i taps[kSteps];
      __m512i sum = start;
      for (int step = 0; step < kSteps; ++step) {
        taps[step] = _mm512_permutexvar_epi8(index, _mm512_loadu_si512(source + step * kTapsAtOnce));
        sum = _mm512_dpbusd_epi32(sum, taps[step], low[step]);
      }
      sum = _mm512_srai_epi32(sum, kAcrossShift);
      for (int step = 0; step < kSteps; ++step) sum = _mm512_dpbusd_epi32(sum, taps[step], high[step]);
      sums[row] = sum;
    }
  } else {
    __m512i low[kPlanarRows], high[kPlanarRows];
    for (int row = 0; row < kPlanarRows; ++row) {
      low[row] = start;
      high[row] = _mm512_setzero_si512();
    }
    for (int step = 0; step < plan.steps; ++step) {
      const __m512i low_weights = _mm512_load_si512(steps[step].low[half]);
      const __m512i high_weights = _mm512_load_si512(steps[step].high[half]);
      for (int row = 0; row < kPlanarRows; ++row) {
        const std::uint8_t* source = sources[row] + offset + step * kTapsAtOnce;
        const __m512i taps = _mm512_permutexvar_epi8(index, _mm512_loadu_si512(source));
        low[row] = _mm512_dpbusd_epi32(low[row], taps, low_weights);
        high[row] = _mm512_dpbusd_epi32(high[row], taps, high_weights);
      }
    }
    for (int row = 0; row < kPlanarRows; ++row)
      sums[row] = _mm512_add_epi32(high[row], _mm512_srai_epi32(low[row], kAcrossShift));
  }
}

template <int kSteps>
STOKER_TARGET void across_with(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources,
                               std::int16_t* const* outs) {
  const PlanarStep* steps = plan.group_steps.data();
  const __m512i start = _mm512_set1_epi32(planar_start(bias));
  std::size_t x = 0;
  for (const PlanarGroup& group : plan.groups) {
    __m512i left[kPlanarRows], right[kPlanarRows];
    make_half<kSteps>(plan, start, group, steps, 0, sources, left);
    make_half<kSteps>(plan, start, group, steps, 1, sources, right);
    for (int row = 0; row < kPlanarRows; ++row)
      _mm512_storeu_si512(outs[row] + x, _mm512_packs_epi32(left[row], right[row]));
    x += kGroup;
    steps += plan.steps;
  }
}

STOKER_TARGET inline __m512i set16(std::int16_t value) { return _mm512_set1_epi16(value); }
STOKER_TARGET inline __m512i add(__m512i a, __m512i b) { return _mm512_adds_epi16(a, b); }
STOKER_TARGET inline __m512i multiply(__m512i a, __m512i b) { return _mm512_mulhrs_epi16(a, b); }

struct Pixels {
  __m512i channel[3];
};

template <jpeg::Colour kColour>
STOKER_TARGET inline Pixels pixels_at(const std::int16_t* const* channels, std::size_t x) {
  const __m512i y = _mm512_loadu_si512(channels[0] + x);
  if constexpr (kColour == jpeg::Colour::gray) return {{y, y, y}};
  const __m512i cb = _mm512_loadu_si512(channels[1] + x), cr = _mm512_loadu_si512(channels[2] + x);
  if constexpr (kColour == jpeg::Colour::rgb) return {{y, cb, cr}};
  const __m512i red = add(add(y, cr), multiply(cr, set16(kRedOfCr)));
  const __m512i green = add(add(y, multiply(cb, set16(kGreenOfCb))), multiply(cr, set16(kGreenOfCr)));
  const __m512i blue = add(add(y, add(cb, cb)), multiply(cb, set16(kBlueOfCb)));
  return {{red, green, blue}};
}

// Which byte of a channel's 64 goes where in 192 bytes of RGB. The channel's bytes are as packing left them:
// pixels 0..7, 32..39, 8..15 and so on.
struct Interleaving {
  alignas(64) std::uint8_t index[3][64];  // of each of three output vectors, whatever the channel
  __mmask64 mask[3][3];                   // output vector, channel

  constexpr Interleaving() : index(), mask() {
    for (unsigned byte = 0; byte < 192; ++byte) {
      const unsigned pixel = byte / 3, channel = byte % 3;
      const unsigned place = pixel % 32 / 8 * 16 + pixel / 32 * 8 + pixel % 8;
      index[byte / 64][byte % 64] = static_cast<std::uint8_t>(place);
      mask[byte / 64][channel] |= __mmask64{1} << byte % 64;
    }
  }
};
constexpr Interleaving kInterleaving;

template <jpeg::Colour kColour>
STOKER_TARGET void colour_with(const std::int16_t* const* channels, std::size_t width, std::uint8_t* rgb) {
  constexpr std::size_t kPixels = 64;
  for (std::size_t x = 0; x < width; x += kPixels) {
    const Pixels low = pixels_at<kColour>(channels, x);
    const Pixels high = x + kPixels / 2 < width ? pixels_at<kColour>(channels, x + kPixels / 2) : low;
    __m512i bytes[3];
    for (int c = 0; c < 3; ++c) {
      bytes[c] = _mm512_packus_epi16(_mm512_srai_epi16(low.channel[c], kBetweenBits),
                                     _mm512_srai_epi16(high.channel[c], kBetweenBits));
    }
    const std::size_t left = 3 * (width - x);
    for (std::size_t v = 0; v < 3; ++v) {
      const __m512i index = _mm512_load_si512(kInterleaving.index[v]);
      __m512i out = _mm512_permutexvar_epi8(index, bytes[0]);
      out = _mm512_mask_permutexvar_epi8(out, kInterleaving.mask[v][1], index, bytes[1]);
      out = _mm512_mask_permutexvar_epi8(out, kInterleaving.mask[v][2], index, bytes[2]);
      std::uint8_t* to = rgb + 3 * x + 64 * v;
      if (left >= 64 * (v + 1)) {
        _mm512_storeu_si512(to, out);
      } else if (left > 64 * v) {
        _mm512_mask_storeu_epi8(to, (__mmask64{1} << (left - 64 * v)) - 1, out);
      }
    }
  }
}

}  // namespace

bool plan(const PlanarAxis& axis, PlanarPlan& plan) {
  const std::size_t groups = axis.pitch / kGroup;
  const auto steps = static_cast<std::size_t>((axis.used_taps + kTapsAtOnce - 1) / kTapsAtOnce);
  plan.steps = static_cast<int>(steps);
  plan.groups.resize(groups);
  plan.group_steps.resize(groups * steps);
  for (std::size_t g = 0; g < groups; ++g) {
    if (!place_taps(axis.first.data() + g * kGroup, plan.groups[g])) return false;
    for (std::size_t step = 0; step < steps; ++step) {
      split_weights(axis.weights.data() + step * kTapsAtOnce * axis.pitch + g * kGroup, axis.pitch,
                    plan.group_steps[g * steps + step]);
    }
  }
  return true;
}

void planar_across(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources,
                   std::int16_t* const* outs) {
  switch (plan.steps) {
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

void planar_colour(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width,
                   std::uint8_t* rgb) {
  switch (colour) {
    case jpeg::Colour::gray:
      return colour_with<jpeg::Colour::gray>(channels, width, rgb);
    case jpeg::Colour::rgb:
      return colour_with<jpeg::Colour::rgb>(channels, width, rgb);
    case jpeg::Colour::ycbcr:
      return colour_with<jpeg::Colour::ycbcr>(channels, width, rgb);
  }
}

}  // namespace stoker::image::vnni
#else

namespace stoker::image::vnni {

bool plan(const PlanarAxis&, PlanarPlan&) { return false; }
void planar_across(const PlanarPlan&, int, const std::uint8_t* const*, std::int16_t* const*) {}
void planar_colour(const std::int16_t* const*, jpeg::Colour, std::size_t, std::uint8_t*) {}

}  // namespace stoker::image::vnni
#endif
