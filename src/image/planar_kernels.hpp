// The inner loops of a planar resize: a scalar reference, Highway, and one for AVX-512; the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/planar_axis.hpp"
#include "jpeg/baseline_frame.hpp"

namespace stoker::image {

// Between the passes a sample has 16 bits, these of them fraction. 255 takes 14 bits, which leaves room for
// what the bicubic filter overshoots in both passes (a factor of 1.28).
inline constexpr int kBetweenBits = 6;
// Fraction bits of the weights: horizontally such that a sum of products keeps kBetweenBits behind a shift
// of 7 (the vnni loop needs no other); vertically as the multiplication that keeps the upper half wants it.
inline constexpr int kAcrossBits = 13;
// Beside an edge the cubic has weights above 1, so it gets their halves, and the sum is doubled.
constexpr int down_bits(Filter filter) { return filter == Filter::bilinear ? 15 : 14; }
inline constexpr int kAcrossShift = kAcrossBits - kBetweenBits;
// Rows that one call of the horizontal pass makes.
inline constexpr int kPlanarRows = 4;
// Output pixels that a row between the passes is rounded up to.
inline constexpr std::size_t kPlanarUnit = PlanarAxis::kUnit;

// Lane by lane for 2 × 16 output pixels: where the four taps of a step lie among the 64 bytes from `offset`
// on, of the first step; each further one lies four bytes on.
struct alignas(64) PlanarGroup {
  std::uint8_t index[2][64];
  std::int32_t offset[2];
};
// The weights of a step: 128 × high + low.
struct alignas(64) PlanarStep {
  std::int8_t high[2][64];
  std::int8_t low[2][64];
};

// The horizontal pass's view of an axis, laid out for the loop in use; source rows begin with the axis's
// source_begin.
struct PlanarPlan {
  enum class Loop { one_by_one, blocks, groups };
  const PlanarAxis* axis = nullptr;
  Loop loop = Loop::one_by_one;
  // one_by_one: the weights of each output pixel side by side.
  // blocks: four output pixels at a time; the byte of the source row from which on all of them have their
  // first two taps within 16 bytes, which bytes these are, and pairs of weights, pair by pair.
  int pairs = 0;
  std::vector<std::int32_t> offsets;
  std::vector<std::uint8_t> masks;
  std::vector<std::int16_t> weights;
  // groups: AVX-512 with VBMI and VNNI.
  int steps = 0;
  std::vector<PlanarGroup> groups;
  std::vector<PlanarStep> group_steps;  // steps of each group
};

// One channel of an output row: the rows that it is made of.
struct PlanarTaps {
  int count = 0;
  const std::int16_t* weights = nullptr;  // of 15 bits, or 14:
  bool halved = false;
  const std::int16_t* const* rows = nullptr;  // readable up to kPlanarUnit
};

// What the horizontal pass adds, at no cost: chroma comes to lie around zero, and all else gets the half that
// rounds it in the end.
constexpr int planar_bias(jpeg::Colour colour, int channel) {
  const bool is_chroma = colour == jpeg::Colour::ycbcr && channel > 0;
  return is_chroma ? -(128 << kBetweenBits) : 1 << (kBetweenBits - 1);
}

// From what a sum of the horizontal pass begins.
constexpr int planar_start(int bias) { return (bias << kAcrossShift) + (1 << (kAcrossShift - 1)); }

namespace scalar {
// An output row of the horizontal pass: axis.size() values of kBetweenBits, `bias` added.
void planar_across(const PlanarAxis& axis, int bias, const std::uint8_t* source, std::int16_t* out);
// An output row of the vertical pass of one channel: `width` values.
void planar_down(const PlanarTaps& taps, std::size_t width, std::int16_t* out);
// Three channels, biased by planar_bias(), or of gray the first → `width` pixels.
void planar_colour(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width,
                   std::uint8_t* rgb);
}  // namespace scalar

// Lays out `axis` (of kAcrossBits). From a source row's beginning on, up to kPlanarReach bytes behind
// source_end - source_begin are read.
void plan_planar(const PlanarAxis& axis, PlanarPlan& plan);
inline constexpr std::size_t kPlanarReach = 128;
// As scalar::planar_across for kPlanarRows rows, which may be the same ones; writes up to kPlanarUnit.
void planar_across_simd(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources,
                        std::int16_t* const* outs);
// As scalar::planar_down; reads and writes `width` rounded up to kPlanarUnit.
void planar_down_simd(const PlanarTaps& taps, std::size_t width, std::int16_t* out);
// As scalar::planar_colour; reads `width` rounded up to kPlanarUnit, writes not a byte behind 3 × width.
void planar_colour_simd(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width,
                        std::uint8_t* rgb);

// Taps that the SIMD loops of the vertical pass take at a time.
inline constexpr int kTapsDown = 4;

// For processors that permute 64 bytes (AVX-512 VBMI) and sum byte products (VNNI): where use_avx512_loops().
namespace vnni {
// False: the axis does not fit this way (its scale is too large).
bool plan(const PlanarAxis& axis, PlanarPlan& plan);
void planar_across(const PlanarPlan& plan, int bias, const std::uint8_t* const* sources,
                   std::int16_t* const* outs);
void planar_colour(const std::int16_t* const* channels, jpeg::Colour colour, std::size_t width,
                   std::uint8_t* rgb);
}  // namespace vnni

}  // namespace stoker::image
