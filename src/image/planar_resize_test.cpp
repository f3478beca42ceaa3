// PixelMode::fast against the exact route: how far off it may be, and what it must not depend on.
#include "image/planar_resize.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"
#include "image/decoder.hpp"
#include "image/fixtures.hpp"
#include "jpeg/fixtures.hpp"
#include "jpeg/jpeg_reader.hpp"

namespace stoker::image {
namespace {

using Bytes = std::vector<std::byte>;
using Rgb = std::vector<std::uint8_t>;
using jpeg::BlockSize;
using jpeg::fixtures::Options;

Rgb packed(const RgbView& view) {
  Rgb rgb;
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* row = view.data + static_cast<std::size_t>(y) * view.stride;
    rgb.insert(rgb.end(), row, row + 3 * view.width);
  }
  return rgb;
}

// Waves and a soft edge, as photos have them: what differs between two good resizes of it is small.
Rgb soft_picture(int width, int height) {
  Rgb rgb;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double edge = 40 * std::tanh((x - 0.4 * width + 0.3 * y) / 3.0);
      const double wave = 30 * std::sin(x * 0.13) * std::cos(y * 0.09);
      for (const double level : {128 + edge + wave, 120 + wave - 0.4 * edge, 110 + 0.2 * edge - wave})
        rgb.push_back(static_cast<std::uint8_t>(level));
    }
  }
  return rgb;
}

struct Error {
  double mean = 0;
  int most = 0;
};

Error error_of(const Rgb& a, const Rgb& b) {
  Error error;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int difference = std::abs(a[i] - b[i]);
    error.mean += difference;
    error.most = std::max(error.most, difference);
  }
  error.mean /= static_cast<double>(a.size());
  return error;
}

Rgb decoded(Decoder& decoder, const Bytes& file, DecodeSpec spec, PixelMode pixels,
            DecodeRoute route = DecodeRoute::own) {
  spec.pixels = pixels;
  const auto result = decoder.decode(file, spec);
  EXPECT_TRUE(result) << result.error().what();
  if (!result) return {};
  EXPECT_EQ(result->route, route);
  return packed(result->pixels);
}

struct Kind {
  const char* name;
  Options options;
};

const Kind kKinds[] = {
    {"444", {.quality = 95}},
    {"422", {.quality = 95, .h = {2, 1, 1}}},
    {"420", {.quality = 95, .h = {2, 1, 1}, .v = {2, 1, 1}}},
    {"440", {.quality = 95, .v = {2, 1, 1}}},
    {"411", {.quality = 95, .h = {4, 1, 1}}},
    {"410", {.quality = 95, .h = {4, 1, 1}, .v = {2, 1, 1}}},
    {"gray", {.quality = 95, .components = 1}},
    {"rgb", {.quality = 95, .rgb = true}},
    {"restarts", {.quality = 95, .h = {2, 1, 1}, .v = {2, 1, 1}, .restart_interval = 3}},
};

class PlanarResizeOf : public testing::TestWithParam<Kind> {};

// Where no smaller transform is used, the two routes differ by what they round: the exact one by half a unit
// behind the upsampling, the colours and the first pass, each of which the next one weighs; this one by 1/64.
// Colours that are clipped before the resize there, and behind it here, are not in this picture.
TEST_P(PlanarResizeOf, IsCloseToTheExactRoute) {
  Decoder decoder;
  for (const Size size : {Size{301, 227}, Size{64, 64}, Size{97, 350}, Size{17, 9}}) {
    const Bytes file = jpeg::fixtures::encode(soft_picture(size.width, size.height), size.width, size.height,
                                              GetParam().options);
    SampleRng rng(7, 7, 7, 7);
    for (int round = 0; round < 12; ++round) {
      DecodeSpec spec;
      Rect crop{0, 0, size.width, size.height};
      if (round > 0) {
        crop.width = 5 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size.width - 4)));
        crop.height = 5 + static_cast<int>(rng.below(static_cast<std::uint64_t>(size.height - 4)));
        crop.x = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.width - crop.width + 1)));
        crop.y = static_cast<int>(rng.below(static_cast<std::uint64_t>(size.height - crop.height + 1)));
      }
      spec.crop = crop;
      spec.filter = round % 2 == 0 ? Filter::bilinear : Filter::bicubic;
      // From an enlargement to just less than half the size.
      const double scale = 0.52 + 0.25 * (round % 6);
      spec.resize = Size{static_cast<int>(std::ceil(crop.width * scale)),
                         static_cast<int>(std::ceil(crop.height * scale))};
      const Rgb exact = decoded(decoder, file, spec, PixelMode::exact);
      const Error error = error_of(decoded(decoder, file, spec, PixelMode::fast), exact);
      EXPECT_LT(error.mean, 0.45) << size.width << " " << round;
      EXPECT_LE(error.most, 3) << size.width << " " << round;
    }
  }
}

TEST_P(PlanarResizeOf, SmallerTransformsStayCloseToo) {
  Decoder decoder;
  const int width = 803, height = 605;
  const Bytes file = jpeg::fixtures::encode(soft_picture(width, height), width, height, GetParam().options);
  for (const Size target : {Size{400, 302}, Size{200, 150}, Size{100, 75}, Size{50, 30}, Size{13, 40}}) {
    for (const Filter filter : {Filter::bilinear, Filter::bicubic}) {
      const DecodeSpec spec{.crop = Rect{1, 2, 801, 602}, .resize = target, .filter = filter};
      const Rgb exact = decoded(decoder, file, spec, PixelMode::exact);
      const Error error = error_of(decoded(decoder, file, spec, PixelMode::fast), exact);
      // A smaller transform is a sharper filter than a triangle: it shows along edges.
      EXPECT_LT(error.mean, 2.0) << target.width;
    }
  }
}

TEST_P(PlanarResizeOf, AWindowIsAPartOfTheWholeAndPointsChangeNothing) {
  Decoder decoder;
  const Bytes file = jpeg::fixtures::encode(jpeg::fixtures::picture(390, 270), 390, 270, GetParam().options);
  const std::vector<std::byte> points = make_seek_points(file, 2);
  for (const Size target : {Size{224, 224}, Size{60, 50}, Size{500, 301}}) {
    const DecodeSpec spec{.crop = Rect{31, 17, 322, 241}, .resize = target, .filter = Filter::bicubic};
    const Rgb whole = decoded(decoder, file, spec, PixelMode::fast);
    for (const Rect window : {Rect{0, 0, 1, 1}, Rect{target.width / 2, target.height / 3, 20, 11},
                              Rect{-3, -2, 40, 30}, Rect{target.width - 5, target.height - 4, 9, 9}}) {
      Rgb expected;
      for (int y = window.y; y < window.y + window.height; ++y) {
        for (int x = window.x; x < window.x + window.width; ++x) {
          const bool inside = x >= 0 && y >= 0 && x < target.width && y < target.height;
          for (int c = 0; c < 3; ++c) {
            const auto at = static_cast<std::size_t>(3 * (y * target.width + x) + c);
            expected.push_back(inside ? whole[at] : std::uint8_t{0});
          }
        }
      }
      DecodeSpec part = spec;
      part.window = window;
      EXPECT_EQ(decoded(decoder, file, part, PixelMode::fast), expected) << window.x;
      part.seek_points = points;
      const DecodeRoute route = points.empty() ? DecodeRoute::own : DecodeRoute::seek;
      EXPECT_EQ(decoded(decoder, file, part, PixelMode::fast, route), expected) << window.x;
    }
  }
}

TEST_P(PlanarResizeOf, IsTheSameOnEveryTarget) {
  const Bytes file = jpeg::fixtures::encode(jpeg::fixtures::picture(333, 222), 333, 222, GetParam().options);
  jpeg::JpegReader reader;
  for (const Size target : {Size{224, 224}, Size{65, 37}, Size{400, 23}, Size{30, 200}}) {
    const Rect crop{5, 3, 320, 211}, visible{0, 0, target.width, target.height};
    const auto write = [&](bool scalar) {
      PlanarResizer resizer;
      resizer.use_scalar_reference(scalar);
      EXPECT_TRUE(reader.open(file, kDefaultMaxPixels));
      const auto sizes = planar_sizes(*reader.frame(), crop, target);
      const Rect region = resizer.prepare(*reader.frame(), sizes, crop, target, visible, Filter::bicubic);
      EXPECT_TRUE(reader.begin_planes(region, sizes).value_or(false));
      Rgb rgb(static_cast<std::size_t>(3 * target.width * target.height));
      resizer.write(reader.planes(),
                    {rgb.data(), target.width, target.height, 3 * static_cast<std::size_t>(target.width)});
      return rgb;
    };
    const Rgb expected = write(true);
    test::on_every_target([&] { EXPECT_EQ(write(false), expected) << target.width; });
  }
}

INSTANTIATE_TEST_SUITE_P(Samplings, PlanarResizeOf, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(PlanarSizes, LeaveAQuarterMoreThanTheTarget) {
  jpeg::BaselineFrame frame;
  frame.width = 2000;
  frame.height = 1000;
  frame.components = 3;
  frame.h_max = frame.v_max = 2;
  frame.component[0].h = frame.component[0].v = 2;
  const auto sizes = [&](int width, int height, Size target) {
    return planar_sizes(frame, {0, 0, width, height}, target);
  };
  using Sizes = std::array<BlockSize, 3>;
  EXPECT_EQ(sizes(559, 560, {224, 224}), (Sizes{BlockSize::full, BlockSize::full, BlockSize::full}));
  EXPECT_EQ(sizes(560, 560, {224, 224}), (Sizes{BlockSize::half, BlockSize::full, BlockSize::full}));
  EXPECT_EQ(sizes(1120, 1200, {224, 224}), (Sizes{BlockSize::quarter, BlockSize::half, BlockSize::half}));
  EXPECT_EQ(sizes(2000, 1000, {10, 10}), (Sizes{BlockSize::eighth, BlockSize::eighth, BlockSize::eighth}));
  EXPECT_EQ(sizes(100, 100, {200, 3}), (Sizes{BlockSize::full, BlockSize::full, BlockSize::full}));
}

TEST(FastPixels, ComeOutExactWhereNothingIsResized) {
  Decoder decoder;
  const Bytes file = jpeg::fixtures::encode(jpeg::fixtures::picture(90, 70), 90, 70, {});
  const DecodeSpec spec{.crop = Rect{3, 4, 50, 40}, .window = Rect{-2, -2, 30, 30}};
  EXPECT_EQ(decoded(decoder, file, spec, PixelMode::fast), decoded(decoder, file, spec, PixelMode::exact));
}

TEST(FastPixels, ComeOutExactWhereTheFileIsNotForThem) {
  Decoder decoder;
  const DecodeSpec spec{.resize = Size{40, 33}};
  const Rgb picture = jpeg::fixtures::picture(90, 70);
  for (const Options& options : {Options{.progressive = true}, Options{.components = 4}}) {
    const Bytes file = jpeg::fixtures::encode(picture, 90, 70, options);
    EXPECT_EQ(decoded(decoder, file, spec, PixelMode::fast, DecodeRoute::turbo),
              decoded(decoder, file, spec, PixelMode::exact, DecodeRoute::turbo));
  }
  const Bytes png = fixtures::Png{.width = 90, .height = 70}.file();
  EXPECT_EQ(decoded(decoder, png, spec, PixelMode::fast, DecodeRoute::other),
            decoded(decoder, png, spec, PixelMode::exact, DecodeRoute::other));
}

TEST(FastPixels, ComeOutExactWhereAResizeIsBeyondSixteenBits) {
  Decoder decoder;
  const Bytes file = jpeg::fixtures::encode(jpeg::fixtures::picture(1200, 90), 1200, 90, {});
  const DecodeSpec spec{.resize = Size{4, 60}};  // 600 taps a pixel, and no smaller transform
  EXPECT_EQ(decoded(decoder, file, spec, PixelMode::fast), decoded(decoder, file, spec, PixelMode::exact));
}

TEST(FastPixels, DamageIsRepairedAndWordedByLibjpegTurbo) {
  Decoder decoder;
  Bytes file = jpeg::fixtures::encode(jpeg::fixtures::picture(300, 200), 300, 200, {});
  file.resize(file.size() / 2);
  const auto result = [&](PixelMode pixels) {
    const auto one = decoder.decode(file, {.resize = Size{100, 90}, .pixels = pixels});
    EXPECT_TRUE(one);
    EXPECT_EQ(one->route, DecodeRoute::turbo);
    return std::pair(packed(one->pixels), std::string(one->warning));
  };
  const auto exact = result(PixelMode::exact);
  EXPECT_NE(exact.second, "");
  EXPECT_EQ(result(PixelMode::fast), exact);
}

TEST(FastPixels, WrongPointsAreSeenAndLeftAside) {
  Decoder decoder;
  const Bytes file = jpeg::fixtures::encode(jpeg::fixtures::picture(300, 200), 300, 200, {});
  const Bytes other = jpeg::fixtures::encode(jpeg::fixtures::picture(300, 200, 2), 300, 200, {});
  const std::vector<std::byte> points = make_seek_points(other);
  const auto result =
      decoder.decode(file, {.resize = Size{100, 90}, .pixels = PixelMode::fast, .seek_points = points});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->points_failed);
  const Rgb rgb = packed(result->pixels);
  EXPECT_EQ(decoded(decoder, file, {.resize = Size{100, 90}}, PixelMode::fast), rgb);
}

}  // namespace
}  // namespace stoker::image
