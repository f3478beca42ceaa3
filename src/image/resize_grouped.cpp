// Output bytes are made in groups of 16, each a 32-bit lane of a vector: whatever channel and pixel they
// belong to, one permutation of the source bytes under them brings four taps of each lane together, and a dot
// product of bytes sums them up. A weight is split into three signed bytes, weight = (d2 * 256 + d1) * 256 +
// d0, whose sums are joined in the same way: all of it exact.
#include "image/resize_grouped.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
// GCC 12's own header takes its idiom for "any value" for a use of an uninitialised one (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

namespace stoker::image::grouped {

namespace {

constexpr int kLanes = 16;            // outputs of a group
constexpr int kGroupsAtOnce = 4;      // whose 64 bytes are stored together
constexpr int kTapsAtOnce = 4;        // of a step
constexpr int kMaxSteps = 8;          // more taps are left to the loop that does not permute
constexpr std::int32_t kNarrow = 63;  // last byte that one vector's permutation reaches
constexpr std::int32_t kWide = 127;   // and two vectors'

#define STOKER_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")))

// Three signed bytes of the weights of a step's four taps, for 16 output pixels: one byte of each tap in a
// lane.
struct Digits {
  __m512i d0, d1, d2;
};

STOKER_TARGET inline Digits split_digits(const std::int32_t* weights, std::size_t pitch) {
  const __m512i byte = _mm512_set1_epi32(0xFF), round = _mm512_set1_epi32(0x80);
  Digits digits{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()};
  for (unsigned tap = 0; tap < kTapsAtOnce; ++tap) {
    const __m128i left = _mm_cvtsi32_si128(static_cast<int>(8 * tap));
    const __m512i weight = _mm512_loadu_si512(weights + tap * pitch);
    const __m512i upper = _mm512_srai_epi32(_mm512_add_epi32(weight, round), 8);
    const __m512i top = _mm512_srai_epi32(_mm512_add_epi32(upper, round), 8);
    digits.d0 = _mm512_or_si512(digits.d0, _mm512_sll_epi32(_mm512_and_si512(weight, byte), left));
    digits.d1 = _mm512_or_si512(digits.d1, _mm512_sll_epi32(_mm512_and_si512(upper, byte), left));
    digits.d2 = _mm512_or_si512(digits.d2, _mm512_sll_epi32(_mm512_and_si512(top, byte), left));
  }
  return digits;
}

// The permutation and the digits of every lane, step by step.
STOKER_TARGET void fill_groups(const ResizeAxis& axis, int source_x, HorizontalPlan& plan) {
  const auto steps = static_cast<std::size_t>(plan.steps);
  const std::size_t groups = plan.offsets.size();
  plan.groups.resize(groups * steps);
  plan.digits.resize(3 * axis.pitch);
  std::uint32_t* const d0 = plan.digits.data();
  std::uint32_t* const d1 = d0 + axis.pitch;
  std::uint32_t* const d2 = d1 + axis.pitch;
  // A group begins with channel 0, 1 or 2 of a pixel: which pixel behind that, and which channel, each lane
  // has.
  __m512i pixel_of[3], channel_of[3];
  for (unsigned phase = 0; phase < 3; ++phase) {
    alignas(64) std::uint32_t pixels[kLanes], channels[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      pixels[lane] = (phase + lane) / 3;
      channels[lane] = (phase + lane) % 3;
    }
    pixel_of[phase] = _mm512_load_si512(pixels);
    channel_of[phase] = _mm512_load_si512(channels);
  }
  const __m512i each_byte = _mm512_set1_epi32(0x01010101), four_taps = _mm512_set1_epi32(0x09060300);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < axis.pitch; i += kLanes) {
      const Digits digits =
          split_digits(axis.weights.data() + step * kTapsAtOnce * axis.pitch + i, axis.pitch);
      _mm512_storeu_si512(d0 + i, digits.d0);
      _mm512_storeu_si512(d1 + i, digits.d1);
      _mm512_storeu_si512(d2 + i, digits.d2);
    }
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t pixel = std::min(group * kLanes / 3, axis.pitch - kLanes), phase = group * kLanes % 3;
      const __m512i take = pixel_of[phase];
      const __m512i first = _mm512_permutexvar_epi32(take, _mm512_loadu_si512(axis.first.data() + pixel));
      const __m512i base = _mm512_set1_epi32(source_x * 3 + plan.offsets[group]);
      const __m512i offset = _mm512_sub_epi32(_mm512_add_epi32(first, _mm512_add_epi32(first, first)), base);
      const __m512i byte = _mm512_add_epi32(offset, channel_of[phase]);
      GroupStep& out = plan.groups[group * steps + step];
      _mm512_store_si512(out.index, _mm512_add_epi32(_mm512_mullo_epi32(byte, each_byte), four_taps));
      _mm512_store_si512(out.d0, _mm512_permutexvar_epi32(take, _mm512_loadu_si512(d0 + pixel)));
      _mm512_store_si512(out.d1, _mm512_permutexvar_epi32(take, _mm512_loadu_si512(d1 + pixel)));
      _mm512_store_si512(out.d2, _mm512_permutexvar_epi32(take, _mm512_loadu_si512(d2 + pixel)));
    }
  }
}

template <bool kWidePlan>
STOKER_TARGET inline __m512i gather(__m512i index, const std::uint8_t* source) {
  const __m512i first = _mm512_loadu_si512(source);
  if constexpr (!kWidePlan) return _mm512_permutexvar_epi8(index, first);
  return _mm512_permutex2var_epi8(first, index, _mm512_loadu_si512(source + 64));
}

// One group of one row, as 32-bit values before they are clipped.
template <int kSteps, bool kWidePlan>
STOKER_TARGET inline __m512i make_group(const GroupStep* group, const std::uint8_t* source) {
  __m512i taps[kSteps];
  __m512i sum = _mm512_set1_epi32(1 << (kWeightBits - 1 - 16));
  for (int step = 0; step < kSteps; ++step) {
    taps[step] = gather<kWidePlan>(_mm512_load_si512(group[step].index), source + step * kTapsAtOnce * 3);
    sum = _mm512_dpbusd_epi32(sum, taps[step], _mm512_load_si512(group[step].d2));
  }
  sum = _mm512_slli_epi32(sum, 8);
  for (int step = 0; step < kSteps; ++step) {
    sum = _mm512_dpbusd_epi32(sum, taps[step], _mm512_load_si512(group[step].d1));
  }
  sum = _mm512_slli_epi32(sum, 8);
  for (int step = 0; step < kSteps; ++step) {
    sum = _mm512_dpbusd_epi32(sum, taps[step], _mm512_load_si512(group[step].d0));
  }
  return _mm512_srai_epi32(sum, kWeightBits);
}

template <int kSteps, bool kWidePlan>
STOKER_TARGET void rows_with(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                             std::uint8_t* const* outs) {
  const __m512i in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const GroupStep* groups = plan.groups.data();
  for (std::size_t group = 0; group < plan.offsets.size();
       group += kGroupsAtOnce, groups += kGroupsAtOnce * kSteps) {
    __m512i values[kGroupsAtOnce][kRowsAtOnce];
    for (std::size_t g = 0; g < kGroupsAtOnce; ++g) {
      for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
        values[g][row] =
            make_group<kSteps, kWidePlan>(groups + g * kSteps, sources[row] + plan.offsets[group + g]);
      }
    }
    for (std::size_t row = 0; row < kRowsAtOnce; ++row) {
      const __m512i low = _mm512_packs_epi32(values[0][row], values[1][row]);
      const __m512i high = _mm512_packs_epi32(values[2][row], values[3][row]);
      const __m512i bytes = _mm512_permutexvar_epi32(in_order, _mm512_packus_epi16(low, high));
      _mm512_storeu_si512(outs[row] + group * kLanes, bytes);
    }
  }
}

template <bool kWidePlan>
void rows_of(const HorizontalPlan& plan, const std::uint8_t* const* sources, std::uint8_t* const* outs) {
  switch (plan.steps) {
    case 1:
      return rows_with<1, kWidePlan>(plan, sources, outs);
    case 2:
      return rows_with<2, kWidePlan>(plan, sources, outs);
    case 3:
      return rows_with<3, kWidePlan>(plan, sources, outs);
    case 4:
      return rows_with<4, kWidePlan>(plan, sources, outs);
    case 5:
      return rows_with<5, kWidePlan>(plan, sources, outs);
    case 6:
      return rows_with<6, kWidePlan>(plan, sources, outs);
    case 7:
      return rows_with<7, kWidePlan>(plan, sources, outs);
    default:
      return rows_with<kMaxSteps, kWidePlan>(plan, sources, outs);
  }
}

}  // namespace

bool plan(const ResizeAxis& axis, int source_x, HorizontalPlan& plan, std::size_t& reach) {
  const int steps = (axis.used_taps + kTapsAtOnce - 1) / kTapsAtOnce;
  if (steps > kMaxSteps) return false;
  const int outputs = 3 * axis.size();
  const int groups = (outputs + kLanes * kGroupsAtOnce - 1) / (kLanes * kGroupsAtOnce) * kGroupsAtOnce;
  std::int32_t span = 0;
  plan.offsets.resize(static_cast<std::size_t>(groups));
  for (int group = 0; group < groups; ++group) {
    const int begin = std::min(group * kLanes, outputs - 1),
              last = std::min(group * kLanes + kLanes, outputs) - 1;
    const std::int32_t base = axis.first[begin / 3] - source_x;
    plan.offsets[static_cast<std::size_t>(group)] = base * 3;
    if (group * kLanes < outputs) {
      span = std::max(span, (axis.first[last / 3] - source_x - base) * 3 + 2 + 3 * (kTapsAtOnce - 1));
    }
  }
  if (span > kWide) return false;
  plan.axis = &axis;
  plan.source_x = source_x;
  plan.steps = steps;
  plan.wide = span > kNarrow;
  fill_groups(axis, source_x, plan);
  reach = static_cast<std::size_t>(*std::max_element(plan.offsets.begin(), plan.offsets.end())) +
          static_cast<std::size_t>(steps - 1) * 3 * kTapsAtOnce + (plan.wide ? 128 : 64);
  return true;
}

void horizontal_rows(const HorizontalPlan& plan, const std::uint8_t* const* sources,
                     std::uint8_t* const* outs) {
  if (plan.wide) {
    rows_of<true>(plan, sources, outs);
  } else {
    rows_of<false>(plan, sources, outs);
  }
}

}  // namespace stoker::image::grouped
#else

namespace stoker::image::grouped {

bool plan(const ResizeAxis&, int, HorizontalPlan&, std::size_t&) { return false; }
void horizontal_rows(const HorizontalPlan&, const std::uint8_t* const*, std::uint8_t* const*) {}

}  // namespace stoker::image::grouped
#endif
