#include "image/resize.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crc.hpp"
#include "base/philox.hpp"
#include "base/simd_targets.hpp"

namespace stoker::image {
namespace {

using Pixels = std::vector<std::uint8_t>;

std::size_t bytes_of(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3;
}

RgbView view_of(const Pixels& pixels, Size size) {
  return {pixels.data(), size.width, size.height, static_cast<std::size_t>(size.width) * 3};
}

Rect all_of(Size size) { return {0, 0, size.width, size.height}; }

// The pictures that the table of Pillow's results was made from.
Pixels sample_picture(Size size) {
  Pixels pixels(bytes_of(size));
  auto state = static_cast<std::uint32_t>(size.width * 1000 + size.height);
  for (std::uint8_t& value : pixels) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<std::uint8_t>(state >> 24);
  }
  return pixels;
}

// Noise, or noise of black and white alone, which drives sums to both ends.
Pixels random_picture(Size size, SampleRng& rng, bool extreme) {
  Pixels pixels(bytes_of(size));
  std::uint64_t state = rng.next_u64() | 1;
  for (std::uint8_t& value : pixels) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<std::uint8_t>(extreme ? (state >> 63) * 255 : state >> 56);
  }
  return pixels;
}

Pixels resized(Resizer& resizer, const Pixels& source, Size from, Size to, Filter filter) {
  Pixels out(bytes_of(to), 77);
  resizer.resize(view_of(source, from), all_of(from), from, to, all_of(to), filter,
                 {out.data(), to.width, to.height, static_cast<std::size_t>(to.width) * 3});
  return out;
}

Pixels cut(const Pixels& pixels, Size size, const Rect& rect) {
  Pixels out;
  for (int y = rect.y; y < rect.y + rect.height; ++y) {
    const auto begin = pixels.begin() + (static_cast<std::ptrdiff_t>(y) * size.width + rect.x) * 3;
    out.insert(out.end(), begin, begin + rect.width * 3);
  }
  return out;
}

struct PillowCase {
  int width, height, to_width, to_height;
  std::uint32_t bilinear, bicubic;  // zlib CRC-32 of the result's bytes
};

// Written by Pillow 13.0.0: Image.frombytes("RGB", …).resize((W, H), BILINEAR and BICUBIC).tobytes(). Among
// them are sizes where either pass is the first, and ones that have only one pass.
constexpr PillowCase kPillow[] = {
    {13, 7, 10, 5, 0x947caa3bU, 0x53315afcU},       {7, 13, 10, 5, 0x8201f685U, 0x073247d9U},
    {40, 30, 32, 32, 0x1a55bceaU, 0x52f07a3eU},     {30, 41, 32, 32, 0x4867c9d0U, 0x2cd795c8U},
    {50, 20, 17, 33, 0xac7bda2cU, 0x80dbc1ddU},     {3, 50, 64, 8, 0x4f759996U, 0x77bfdda6U},
    {224, 100, 224, 224, 0xf7af88caU, 0x3422a3afU}, {100, 224, 112, 224, 0x8a251b0bU, 0xa31220daU},
    {200, 150, 64, 64, 0xb7cb1797U, 0xd66900aaU},   {150, 200, 64, 64, 0x0c364b27U, 0x3f0842d5U},
    {1, 1, 5, 4, 0x99d3a04dU, 0x99d3a04dU},         {2, 9, 1, 1, 0x0d8202cfU, 0xcd8a4a60U},
    {301, 97, 64, 48, 0x267468dfU, 0xef00a03eU},    {20, 20, 90, 70, 0x22d781dfU, 0x97eecb40U},
};

std::uint32_t crc_of(const Pixels& pixels) { return crc32_zlib(std::as_bytes(std::span(pixels))); }

TEST(Resize, EqualsPillowToTheByte) {
  const auto check = [](bool scalar) {
    Resizer resizer;
    resizer.use_scalar_reference(scalar);
    for (const PillowCase& c : kPillow) {
      SCOPED_TRACE(testing::Message()
                   << c.width << "x" << c.height << " to " << c.to_width << "x" << c.to_height);
      const Pixels source = sample_picture({c.width, c.height});
      const Size from{c.width, c.height}, to{c.to_width, c.to_height};
      EXPECT_EQ(crc_of(resized(resizer, source, from, to, Filter::bilinear)), c.bilinear);
      EXPECT_EQ(crc_of(resized(resizer, source, from, to, Filter::bicubic)), c.bicubic);
    }
  };
  check(true);
  test::on_every_target([&] { check(false); });
}

TEST(Resize, TheVerticalPassIsFirstWhereTheHeightShrinksByTwiceTheWidth) {
  EXPECT_FALSE(vertical_pass_first({300, 300}, {224, 224}));
  EXPECT_FALSE(vertical_pass_first({300, 376}, {224, 224}));  // 152 rows less, 2 * 76 columns less
  EXPECT_TRUE(vertical_pass_first({300, 377}, {224, 224}));
  EXPECT_TRUE(vertical_pass_first({100, 225}, {224, 224}));
  EXPECT_FALSE(vertical_pass_first({100, 224}, {224, 224}));
  EXPECT_FALSE(vertical_pass_first({100, 100}, {224, 224}));
}

TEST(Resize, HalvesAreAveragesRoundedUp) {
  Resizer resizer;
  // Two pixels to one: both weights are a half. 0.5 rounds up.
  const Pixels source{10, 0, 255, 21, 0, 254};
  EXPECT_EQ(resized(resizer, source, {2, 1}, {1, 1}, Filter::bilinear), (Pixels{16, 0, 255}));
  EXPECT_EQ(resized(resizer, source, {1, 2}, {1, 1}, Filter::bilinear), (Pixels{16, 0, 255}));
}

TEST(Resize, AConstantPictureStaysConstant) {
  Resizer resizer;
  for (const Filter filter : {Filter::bilinear, Filter::bicubic}) {
    for (const int value : {0, 1, 127, 254, 255}) {
      const Size from{37, 23}, to{50, 11};
      const Pixels source(bytes_of(from), static_cast<std::uint8_t>(value));
      EXPECT_EQ(resized(resizer, source, from, to, filter),
                Pixels(bytes_of(to), static_cast<std::uint8_t>(value)));
    }
  }
}

TEST(Resize, TheSameSizeIsACopy) {
  Resizer resizer;
  const Size size{31, 17};
  const Pixels source = sample_picture(size);
  EXPECT_EQ(resized(resizer, source, size, size, Filter::bicubic), source);
}

TEST(Resize, BicubicOvershootsAndIsClipped) {
  Resizer resizer;
  Pixels source(8 * 3, 0);
  std::fill(source.begin() + 12, source.end(), std::uint8_t{255});  // a hard edge
  const Pixels out = resized(resizer, source, {8, 1}, {32, 1}, Filter::bicubic);
  EXPECT_EQ(*std::min_element(out.begin(), out.end()), 0);
  EXPECT_EQ(*std::max_element(out.begin(), out.end()), 255);
}

// One random resize, its scalar result, its SIMD result from only the part that is needed, and windows of
// both.
void check_random(SampleRng& rng, int largest, Resizer& scalar, Resizer& simd) {
  const auto side = [&](int most) {
    return 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(most)));
  };
  const Size from{side(largest), side(largest)};
  Size to{side(120), side(120)};
  if (rng.below(8) == 0) to.width = from.width;
  if (rng.below(8) == 0) to.height = from.height;
  const Filter filter = rng.below(2) ? Filter::bicubic : Filter::bilinear;
  const Pixels source = random_picture(from, rng, rng.below(3) == 0);
  Rect window{static_cast<int>(rng.below(static_cast<std::uint64_t>(to.width))),
              static_cast<int>(rng.below(static_cast<std::uint64_t>(to.height))), 0, 0};
  window.width = side(to.width - window.x);
  window.height = side(to.height - window.y);
  SCOPED_TRACE(testing::Message() << from.width << "x" << from.height << " to " << to.width << "x"
                                  << to.height << " window " << window.x << "," << window.y << " "
                                  << window.width << "x" << window.height << " " << to_string(filter));
  const Pixels whole = resized(scalar, source, from, to, filter);
  ASSERT_EQ(resized(simd, source, from, to, filter), whole);

  const Rect needed = needed_source(from, to, window, filter);
  const Pixels part = cut(source, from, needed);
  const std::size_t stride = static_cast<std::size_t>(window.width) * 3 + 5;
  Pixels out(stride * static_cast<std::size_t>(window.height), 77);
  simd.resize(view_of(part, {needed.width, needed.height}), needed, from, to, window, filter,
              {out.data(), window.width, window.height, stride});
  const Pixels wanted = cut(whole, to, window);
  for (int y = 0; y < window.height; ++y) {
    const std::size_t row = static_cast<std::size_t>(window.width) * 3, at = static_cast<std::size_t>(y);
    ASSERT_TRUE(std::equal(&out[at * stride], &out[at * stride] + row, &wanted[at * row])) << "row " << y;
    for (std::size_t k = row; k < stride; ++k) ASSERT_EQ(out[at * stride + k], 77) << "written between rows";
  }
}

TEST(Resize, SimdEqualsTheReferenceOnWholePicturesAndWindows) {
  test::on_every_target([] {
    Resizer scalar, simd;
    scalar.use_scalar_reference(true);
    SampleRng rng(1, 0, 0, 0);
    for (int i = 0; i < 120; ++i) check_random(rng, 200, scalar, simd);
    for (int i = 0; i < 60; ++i) check_random(rng, 12, scalar, simd);
    for (int i = 0; i < 4; ++i) check_random(rng, 900, scalar, simd);
  });
}

// Every column count around the vector lengths, and every number of taps up to beyond what has a loop of its
// own.
TEST(Resize, SimdEqualsTheReferenceAtEveryWidthAndTapCount) {
  test::on_every_target([] {
    Resizer scalar, simd;
    scalar.use_scalar_reference(true);
    SampleRng rng(2, 0, 0, 0);
    for (int width = 1; width <= 70; ++width) {
      const Size from{29, 5}, to{width, 7};
      const Pixels source = random_picture(from, rng, false);
      ASSERT_EQ(resized(simd, source, from, to, Filter::bilinear),
                resized(scalar, source, from, to, Filter::bilinear))
          << width;
    }
    for (int scale = 1; scale <= 24; ++scale) {
      const Size from{scale * 9 + 1, scale * 3 + 1}, to{9, 3};
      const Pixels source = random_picture(from, rng, true);
      ASSERT_EQ(resized(simd, source, from, to, Filter::bicubic),
                resized(scalar, source, from, to, Filter::bicubic))
          << scale;
    }
  });
}

// needed_source names every pixel that counts, and its outermost columns and rows do count.
TEST(Resize, NeededSourceIsExact) {
  SampleRng rng(3, 0, 0, 0);
  for (int i = 0; i < 300; ++i) {
    const Filter filter = i % 2 ? Filter::bicubic : Filter::bilinear;
    const int from = 1 + static_cast<int>(rng.below(90)), to = 1 + static_cast<int>(rng.below(60));
    const int begin = static_cast<int>(rng.below(static_cast<std::uint64_t>(to)));
    const int size = 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(to - begin)));
    const Rect needed = needed_source({from, 1}, {to, 1}, {begin, 0, size, 1}, filter);
    ResizeAxis axis;
    make_resize_axis_scalar(from, to, 0, to, filter, axis);
    int first = from, end = 0;
    for (int k = begin; k < begin + size; ++k) {
      for (int tap = 0; tap < axis.count[static_cast<std::size_t>(k)]; ++tap) {
        if (filter == Filter::bilinear && axis.weight(k, tap) == 0) continue;
        first = std::min(first, axis.first[static_cast<std::size_t>(k)] + tap);
        end = std::max(end, axis.first[static_cast<std::size_t>(k)] + tap + 1);
      }
    }
    EXPECT_EQ(needed, (Rect{first, 0, end - first, 1}))
        << from << " to " << to << " from " << begin << " " << size;
  }
}

TEST(Resize, WeightsBySimdAreTheReferencesBits) {
  test::on_every_target([] {
    SampleRng rng(4, 0, 0, 0);
    for (int i = 0; i < 400; ++i) {
      const Filter filter = i % 2 ? Filter::bicubic : Filter::bilinear;
      const int from = 1 + static_cast<int>(rng.below(i % 5 ? 700 : 20000)),
                to = 1 + static_cast<int>(rng.below(300));
      const int begin = static_cast<int>(rng.below(static_cast<std::uint64_t>(to)));
      const int end = begin + 1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(to - begin)));
      ResizeAxis scalar, simd;
      make_resize_axis_scalar(from, to, begin, end, filter, scalar);
      make_resize_axis(from, to, begin, end, filter, simd);
      ASSERT_EQ(simd.used_taps, scalar.used_taps);
      ASSERT_EQ(simd.source_begin, scalar.source_begin);
      ASSERT_EQ(simd.source_end, scalar.source_end);
      for (int k = 0; k < scalar.size(); ++k) {
        const auto at = static_cast<std::size_t>(k);
        ASSERT_EQ(simd.first[at], scalar.first[at]);
        ASSERT_EQ(simd.count[at], scalar.count[at]);
        ASSERT_EQ(tap_range(from, to, begin + k, filter).first, scalar.first[at]);
        ASSERT_EQ(tap_range(from, to, begin + k, filter).count, scalar.count[at]);
        for (int tap = 0; tap < (scalar.used_taps + 3) / 4 * 4; ++tap) {
          ASSERT_EQ(simd.weight(k, tap), scalar.weight(k, tap)) << from << " to " << to << " at " << k;
        }
      }
    }
  });
}

// The source ends where the process's memory ends: one byte too far would end the test.
TEST(Resize, ReadsNothingBehindItsSource) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  test::on_every_target([&] {
    for (const Size from : {Size{1, 1}, Size{2, 3}, Size{5, 40}, Size{37, 29}, Size{300, 20}, Size{700, 3}}) {
      for (const Size to : {Size{1, 1}, Size{16, 16}, Size{33, 9}, Size{224, 224}}) {
        const std::size_t bytes = bytes_of(from), room = (bytes + page - 1) / page * page;
        void* memory = mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        auto* const base = static_cast<std::uint8_t*>(memory);
        ASSERT_EQ(mprotect(base + room, page, PROT_NONE), 0);
        std::uint8_t* const source = base + room - bytes;
        std::memset(source, 9, bytes);
        Resizer resizer;
        Pixels out(bytes_of(to));
        resizer.resize({source, from.width, from.height, static_cast<std::size_t>(from.width) * 3},
                       all_of(from), from, to, all_of(to), Filter::bicubic,
                       {out.data(), to.width, to.height, static_cast<std::size_t>(to.width) * 3});
        EXPECT_EQ(out, Pixels(bytes_of(to), 9));
        munmap(memory, room + page);
      }
    }
  });
}

// A source that is a window into a larger picture: its rows lie apart.
TEST(Resize, RowsMayLieApart) {
  const Size picture{90, 70}, from{50, 40}, to{31, 44};
  const Pixels pixels = sample_picture(picture);
  const Pixels tight = cut(pixels, picture, {12, 9, from.width, from.height});
  Resizer resizer;
  Pixels out(bytes_of(to));
  const RgbView apart{pixels.data() + (9 * 90 + 12) * 3, from.width, from.height, 90 * 3};
  resizer.resize(apart, all_of(from), from, to, all_of(to), Filter::bilinear,
                 {out.data(), to.width, to.height, static_cast<std::size_t>(to.width) * 3});
  EXPECT_EQ(out, resized(resizer, tight, from, to, Filter::bilinear));
}

// Pictures of one column or row: neither the rows between the passes nor the weights may grow with them.
TEST(Resize, LongThinPicturesEqualTheReference) {
  SampleRng rng(5, 0, 0, 0);
  for (const Size from : {Size{1, 30000}, Size{30000, 1}, Size{3, 9000}, Size{9000, 2}}) {
    const Pixels source = random_picture(from, rng, false);
    for (const Size to : {Size{5, 4}, Size{1, 1}, Size{40, 7}}) {
      Resizer scalar, simd;
      scalar.use_scalar_reference(true);
      EXPECT_EQ(resized(simd, source, from, to, Filter::bicubic),
                resized(scalar, source, from, to, Filter::bicubic));
    }
  }
}

// More weights than are held at once: the window is made in parts, and they fit together.
TEST(Resize, WindowsMadeInPartsFitTogether) {
  const Size from{1'200'000, 1}, to{200, 1};
  Pixels source(bytes_of(from));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(i / 3 / 6000);
  Resizer resizer;
  const Pixels row = resized(resizer, source, from, to, Filter::bilinear);
  for (int x = 1; x + 1 < to.width; ++x) EXPECT_NEAR(row[static_cast<std::size_t>(x) * 3], x, 1);
  EXPECT_EQ(resized(resizer, source, {1, 1'200'000}, {1, 200}, Filter::bilinear), row);
  Pixels alone(3);
  for (const int x : {0, 1, 57, 99, 100, 198, 199}) {
    resizer.resize(view_of(source, from), all_of(from), from, to, {x, 0, 1, 1}, Filter::bilinear,
                   {alone.data(), 1, 1, 3});
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), row.begin() + x * 3)) << x;
  }
}

}  // namespace
}  // namespace stoker::image
