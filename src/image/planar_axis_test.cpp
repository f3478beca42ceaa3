#include "image/planar_axis.hpp"

#include <gtest/gtest.h>
#include <numeric>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"
#include "image/resize_axis.hpp"

namespace stoker::image {
namespace {

void expect_equal(const PlanarAxis& a, const PlanarAxis& b) {
  ASSERT_EQ(a.used_taps, b.used_taps);
  ASSERT_EQ(a.source_begin, b.source_begin);
  ASSERT_EQ(a.source_end, b.source_end);
  ASSERT_EQ(a.first, b.first);
  ASSERT_EQ(a.count, b.count);
  const auto rows = static_cast<std::size_t>((a.used_taps + 3) / 4 * 4);
  for (std::size_t i = 0; i < rows * a.pitch; ++i) ASSERT_EQ(a.weights[i], b.weights[i]) << i;
}

struct Case {
  PlanarSource source;
  int target, begin, end;
};

Case random_case(SampleRng& rng) {
  const auto below = [&](int limit) {
    return static_cast<int>(rng.below(static_cast<std::uint64_t>(limit)));
  };
  constexpr int kPixels[] = {1, 2, 3, 4, 8, 16, 32};
  Case c;
  c.target = 1 + below(300);
  c.begin = below(c.target);
  c.end = c.begin + 1 + below(c.target - c.begin);
  c.source.pixels = kPixels[below(7)];
  c.source.is_filtered = c.source.pixels > 1 && below(2) == 0;
  c.source.length = 1 + below(c.target * c.source.pixels * 4);
  c.source.begin = below(1000);
  const int picture = c.source.begin + c.source.length + below(40);
  c.source.samples = (picture + c.source.pixels - 1) / c.source.pixels;
  return c;
}

TEST(PlanarAxis, IsTheSameOnEveryTarget) {
  test::on_every_target([] {
    SampleRng rng(1, 2, 3, 4);
    for (int round = 0; round < 200; ++round) {
      const Case c = random_case(rng);
      const Filter filter = round % 2 == 0 ? Filter::bilinear : Filter::bicubic;
      PlanarAxis simd, scalar;
      make_planar_axis(c.source, c.target, c.begin, c.end, filter, 13, simd);
      make_planar_axis_scalar(c.source, c.target, c.begin, c.end, filter, 13, scalar);
      expect_equal(simd, scalar);
    }
  });
}

// What a sample weighs: its pixels' weights in the exact resize, and where chroma is filtered a quarter of
// the next pixel's on each side for a quarter of its own last one's.
double expected_weight(const ResizeAxis& exact, const PlanarSource& source, int i, int sample) {
  const auto at = static_cast<std::size_t>(i);
  const auto of_pixel = [&](int pixel) {
    const int tap = pixel - source.begin - exact.first[at];
    return tap >= 0 && tap < exact.count[at] ? exact.weight(i, tap) / static_cast<double>(1 << kWeightBits)
                                             : 0.0;
  };
  const int first = sample * source.pixels, last = first + source.pixels - 1;
  double sum = 0;
  for (int pixel = first; pixel <= last; ++pixel) sum += of_pixel(pixel);
  if (!source.is_filtered) return sum;
  return sum + 0.25 * (of_pixel(first - 1) + of_pixel(last + 1) - of_pixel(first) - of_pixel(last));
}

TEST(PlanarAxis, WeighsSamplesAsTheExactResizeWeighsTheirPixels) {
  SampleRng rng(5, 2, 3, 4);
  for (int round = 0; round < 200; ++round) {
    Case c = random_case(rng);
    c.source.samples += 2;  // no edge of the picture, where what leaks out comes back
    c.source.begin += 2 * c.source.pixels;
    for (const Filter filter : {Filter::bilinear, Filter::bicubic}) {
      PlanarAxis fast;
      ResizeAxis exact;
      make_planar_axis(c.source, c.target, 0, c.target, filter, 14, fast);
      make_resize_axis(c.source.length, c.target, 0, c.target, filter, exact);
      for (int i = 0; i < c.target; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const int first = fast.source_begin + fast.first[at];
        for (int sample = first - 2; sample < first + fast.count[at] + 2; ++sample) {
          const int tap = sample - first;
          const double found = tap >= 0 && tap < fast.count[at] ? fast.weight(i, tap) : 0;
          // Half a unit of 1/16384 is rounding, the other half single precision.
          ASSERT_NEAR(expected_weight(exact, c.source, i, sample), found / (1 << 14), 1.0 / (1 << 14))
              << c.source.length << " → " << c.target << ", " << c.source.pixels;
        }
      }
    }
  }
}

TEST(PlanarAxis, NeedsSamplesNearTheCropAloneAndWeighsOne) {
  SampleRng rng(9, 2, 3, 4);
  for (int round = 0; round < 300; ++round) {
    const Case c = random_case(rng);
    const Filter filter = round % 2 == 0 ? Filter::bilinear : Filter::bicubic;
    PlanarAxis axis;
    make_planar_axis(c.source, c.target, c.begin, c.end, filter, 13, axis);
    const int margin = c.source.is_filtered ? 1 : 0;
    const int last_pixel = c.source.begin + c.source.length - 1 + margin;
    EXPECT_GE(axis.source_begin, std::max(0, c.source.begin - margin) / c.source.pixels);
    EXPECT_LT(axis.source_end - 1, std::min(c.source.samples, last_pixel / c.source.pixels + 1));
    EXPECT_LE(axis.used_taps, most_planar_taps(c.source, c.target, filter));
    for (int i = 0; i < axis.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_GE(axis.first[at], 0);
      ASSERT_GE(axis.count[at], 1);
      ASSERT_LE(axis.source_begin + axis.first[at] + axis.count[at], axis.source_end);
      int sum = 0;
      for (int tap = 0; tap < axis.used_taps; ++tap) sum += axis.weight(i, tap);
      ASSERT_NEAR(sum, 1 << 13, axis.count[at] / 2 + 1);  // each is rounded by a half at most
    }
  }
}

// Windows of one resize are parts of it: the same weights, whatever is asked for beside them.
TEST(PlanarAxis, AWindowIsAPartOfTheWhole) {
  PlanarAxis whole, part;
  const PlanarSource source{25, 603, 2, 400, true};
  make_planar_axis(source, 224, 0, 224, Filter::bicubic, 15, whole);
  for (const auto& [begin, end] : {std::pair{0, 1}, {17, 90}, {100, 224}, {223, 224}}) {
    make_planar_axis(source, 224, begin, end, Filter::bicubic, 15, part);
    for (int i = 0; i < part.size(); ++i) {
      const auto at = static_cast<std::size_t>(i), in_whole = static_cast<std::size_t>(begin + i);
      ASSERT_EQ(part.source_begin + part.first[at], whole.source_begin + whole.first[in_whole]);
      ASSERT_EQ(part.count[at], whole.count[in_whole]);
      for (int tap = 0; tap < part.count[at]; ++tap)
        ASSERT_EQ(part.weight(i, tap), whole.weight(begin + i, tap));
    }
  }
}

}  // namespace
}  // namespace stoker::image
