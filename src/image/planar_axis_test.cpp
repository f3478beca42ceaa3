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
  PlanarBox box;
  int target, begin, end;
};

Case random_case(SampleRng& rng) {
  const int target = 1 + static_cast<int>(rng.below(300));
  const int begin = static_cast<int>(rng.below(static_cast<std::uint64_t>(target)));
  const int end = begin + 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(target - begin)));
  // Quarters of a sample: the finest that sampling factors of up to 4 give.
  const double first = static_cast<double>(rng.below(4000)) / 4;
  const double length = static_cast<double>(1 + rng.below(static_cast<std::uint64_t>(target) * 20)) / 4;
  return {{first, length}, target, begin, end};
}

TEST(PlanarAxis, IsTheSameOnEveryTarget) {
  test::on_every_target([] {
    SampleRng rng(1, 2, 3, 4);
    for (int round = 0; round < 200; ++round) {
      const Case c = random_case(rng);
      const Filter filter = round % 2 == 0 ? Filter::bilinear : Filter::bicubic;
      PlanarAxis simd, scalar;
      make_planar_axis(c.box, c.target, c.begin, c.end, filter, 13, simd);
      make_planar_axis_scalar(c.box, c.target, c.begin, c.end, filter, 13, scalar);
      expect_equal(simd, scalar);
    }
  });
}

// Where the box is whole, it is Pillow's resize, but for the bits of a weight.
TEST(PlanarAxis, HasTheGeometryOfTheExactResize) {
  SampleRng rng(5, 2, 3, 4);
  for (int round = 0; round < 200; ++round) {
    const int from = 1 + static_cast<int>(rng.below(900)), to = 1 + static_cast<int>(rng.below(300));
    const int begin = static_cast<int>(rng.below(50));
    for (const Filter filter : {Filter::bilinear, Filter::bicubic}) {
      PlanarAxis fast;
      ResizeAxis exact;
      make_planar_axis({static_cast<double>(begin), static_cast<double>(from)}, to, 0, to, filter, 14, fast);
      make_resize_axis(from, to, 0, to, filter, exact);
      // A tap at the filter's very end, of no weight, may be there or not.
      for (int i = 0; i < to; ++i) {
        const auto at = static_cast<std::size_t>(i);
        for (int sample = exact.first[at] - 1; sample <= exact.first[at] + exact.count[at]; ++sample) {
          const int exact_tap = sample - exact.first[at];
          const int fast_tap = sample - (fast.first[at] + fast.source_begin - begin);
          const double expected =
              exact_tap >= 0 && exact_tap < exact.count[at] ? exact.weight(i, exact_tap) : 0;
          const double found = fast_tap >= 0 && fast_tap < fast.count[at] ? fast.weight(i, fast_tap) : 0;
          // Half a unit is rounding, the other half single precision.
          ASSERT_NEAR(expected / (1 << 22), found / (1 << 14), 1.0 / (1 << 14)) << from << " → " << to;
        }
      }
    }
  }
}

TEST(PlanarAxis, NeverLeavesItsBoxAndWeighsOne) {
  SampleRng rng(9, 2, 3, 4);
  for (int round = 0; round < 300; ++round) {
    const Case c = random_case(rng);
    const Filter filter = round % 2 == 0 ? Filter::bilinear : Filter::bicubic;
    PlanarAxis axis;
    make_planar_axis(c.box, c.target, c.begin, c.end, filter, 13, axis);
    EXPECT_GE(axis.source_begin, static_cast<int>(c.box.begin));
    EXPECT_LE(axis.source_end, static_cast<int>(std::ceil(c.box.begin + c.box.length)));
    EXPECT_LE(axis.used_taps, most_planar_taps(c.box, c.target, filter));
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
  const PlanarBox box{12.5, 301.5};
  make_planar_axis(box, 224, 0, 224, Filter::bicubic, 15, whole);
  for (const auto& [begin, end] : {std::pair{0, 1}, {17, 90}, {100, 224}, {223, 224}}) {
    make_planar_axis(box, 224, begin, end, Filter::bicubic, 15, part);
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
