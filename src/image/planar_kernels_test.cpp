// The loops of a planar resize: each equal to its scalar reference on every target, and inside its memory.
#include "image/planar_kernels.hpp"

#include <gtest/gtest.h>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"

namespace stoker::image {
namespace {

using Values = std::vector<std::int16_t>;

constexpr jpeg::Colour kColours[] = {jpeg::Colour::gray, jpeg::Colour::ycbcr, jpeg::Colour::rgb};

// Any numbers at all, or such as planes give.
Values random_values(std::size_t count, SampleRng& rng, bool any) {
  Values values(count);
  for (std::int16_t& value : values) {
    value = static_cast<std::int16_t>(any ? rng.next_u32() : rng.below(16321));
  }
  return values;
}

TEST(PlanarAcross, EqualsItsReferenceOnEveryTarget) {
  test::on_every_target([] {
    SampleRng rng(1, 1, 1, 1);
    std::vector<int> loops(3);
    for (int round = 0; round < 300; ++round) {
      const int target = 1 + static_cast<int>(rng.below(round % 3 == 0 ? 300 : 40));
      const double most = round % 4 == 0 ? 24.0 : 3.0;
      const int length = 1 + static_cast<int>(target * rng.uniform() * most);
      PlanarAxis axis;
      make_planar_axis({static_cast<int>(rng.below(20)), length, 1, length + 20}, target, 0, target,
                       round % 2 == 0 ? Filter::bilinear : Filter::bicubic, kAcrossBits, axis);
      PlanarPlan plan;
      plan_planar(axis, plan);
      ++loops[static_cast<std::size_t>(plan.loop)];
      const auto samples = static_cast<std::size_t>(axis.source_end - axis.source_begin);
      std::vector<std::vector<std::uint8_t>> sources(kPlanarRows);
      std::vector<Values> outs(kPlanarRows, Values(axis.pitch, -7)), expected = outs;
      const std::uint8_t* source_rows[kPlanarRows];
      std::int16_t* out_rows[kPlanarRows];
      for (std::size_t row = 0; row < kPlanarRows; ++row) {
        sources[row].resize(samples + kPlanarReach);
        for (std::uint8_t& sample : sources[row])
          sample = static_cast<std::uint8_t>(row == 0 ? 255 * rng.below(2) : rng.below(256));
        source_rows[row] = sources[row].data();
        out_rows[row] = outs[row].data();
      }
      const int bias = planar_bias(jpeg::Colour::ycbcr, round % 2);
      planar_across_simd(plan, bias, source_rows, out_rows);
      for (std::size_t row = 0; row < kPlanarRows; ++row) {
        scalar::planar_across(axis, bias, source_rows[row], expected[row].data());
        outs[row].resize(static_cast<std::size_t>(axis.size()));
        expected[row].resize(static_cast<std::size_t>(axis.size()));
        ASSERT_EQ(outs[row], expected[row]) << length << " → " << target << ", " << axis.used_taps << " taps";
      }
    }
    EXPECT_GT(loops[static_cast<std::size_t>(PlanarPlan::Loop::one_by_one)], 0);
    EXPECT_GT(loops[1] + loops[2], 100);
  });
}

TEST(PlanarDown, EqualsItsReferenceOnEveryTarget) {
  test::on_every_target([] {
    SampleRng rng(2, 1, 1, 1);
    for (int taps = 1; taps <= 14; ++taps) {
      for (const std::size_t width : {1, 7, 64, 100, 224}) {
        const std::size_t pitch = (width + kPlanarUnit - 1) / kPlanarUnit * kPlanarUnit;
        std::vector<Values> rows;
        std::vector<const std::int16_t*> views;
        for (int tap = 0; tap < taps; ++tap) rows.push_back(random_values(pitch, rng, taps % 2 == 0));
        for (const Values& row : rows) views.push_back(row.data());
        // The multiplication of -1 by -1 alone differs between processors; no weight is -1.
        Values weights = random_values(static_cast<std::size_t>(taps), rng, true);
        for (std::int16_t& weight : weights) weight = std::max<std::int16_t>(weight, -32767);
        Values out(pitch), expected(pitch);
        planar_down_simd({taps, weights.data(), width % 2 == 0, views.data()}, width, out.data());
        scalar::planar_down({taps, weights.data(), width % 2 == 0, views.data()}, width, expected.data());
        out.resize(width);
        expected.resize(width);
        ASSERT_EQ(out, expected) << taps << " taps, " << width;
      }
    }
  });
}

TEST(PlanarColour, EqualsItsReferenceOnEveryTargetAndStopsAtTheEnd) {
  test::on_every_target([] {
    SampleRng rng(3, 1, 1, 1);
    for (const jpeg::Colour colour : kColours) {
      for (std::size_t width = 1; width <= 200; ++width) {
        const std::size_t pitch = (width + kPlanarUnit - 1) / kPlanarUnit * kPlanarUnit;
        std::vector<Values> channels;
        const std::int16_t* views[3];
        for (std::size_t c = 0; c < 3; ++c) channels.push_back(random_values(pitch, rng, width % 2 == 0));
        for (std::size_t c = 0; c < 3; ++c) views[c] = channels[c].data();
        std::vector<std::uint8_t> out(3 * width + 64, 99), expected = out;
        planar_colour_simd(views, colour, width, out.data());
        scalar::planar_colour(views, colour, width, expected.data());
        ASSERT_EQ(out, expected) << width;
      }
    }
  });
}

// Against JFIF's equations in double precision: a unit is what rounding of each term and of the result makes.
TEST(PlanarColour, IsThatOfJfif) {
  for (int y = 0; y < 256; y += 5) {
    for (int cb = 0; cb < 256; cb += 3) {
      for (int cr = 0; cr < 256; cr += 3) {
        const std::int16_t channels[3] = {
            static_cast<std::int16_t>((y << kBetweenBits) + planar_bias(jpeg::Colour::ycbcr, 0)),
            static_cast<std::int16_t>((cb << kBetweenBits) + planar_bias(jpeg::Colour::ycbcr, 1)),
            static_cast<std::int16_t>((cr << kBetweenBits) + planar_bias(jpeg::Colour::ycbcr, 2))};
        const std::int16_t* const views[3] = {channels, channels + 1, channels + 2};
        std::uint8_t rgb[3];
        scalar::planar_colour(views, jpeg::Colour::ycbcr, 1, rgb);
        const double b = cb - 128, r = cr - 128;
        const double expected[3] = {y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b};
        for (int c = 0; c < 3; ++c)
          ASSERT_NEAR(rgb[c], std::clamp(expected[c], 0.0, 255.0), 0.55) << y << " " << cb << " " << cr;
      }
    }
  }
}

}  // namespace
}  // namespace stoker::image
