#include "image/convert.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "base/philox.hpp"
#include "base/simd_targets.hpp"
#include "image/recipe_steps.hpp"

namespace stoker::image {
namespace {

using Bytes = std::vector<std::byte>;

struct Picture {
  std::vector<std::uint8_t> pixels;
  RgbView view;
};

// Rows that lie 7 bytes apart.
Picture random_picture(int width, int height) {
  Picture picture;
  const std::size_t stride = static_cast<std::size_t>(width) * 3 + 7;
  picture.pixels.resize(stride * static_cast<std::size_t>(height));
  SampleRng rng(static_cast<std::uint64_t>(width), 0, 0, 0);
  for (std::uint8_t& value : picture.pixels) value = static_cast<std::uint8_t>(rng.next_u32());
  picture.view = {picture.pixels.data(), width, height, stride};
  return picture;
}

Bytes converted(const Picture& picture, bool flip, const ConvertTable& table, Layout layout, bool scalar) {
  const auto count =
      static_cast<std::size_t>(picture.view.width) * static_cast<std::size_t>(picture.view.height) * 3;
  Bytes out(count * bytes_of(table.dtype()));
  (scalar ? convert_scalar : convert)(picture.view, flip, table, layout, out.data());
  return out;
}

float float_at(const Bytes& bytes, std::size_t i) {
  float value = 0;
  std::memcpy(&value, bytes.data() + 4 * i, 4);
  return value;
}

TEST(Convert, HalfRoundsToNearestTiesToEven) {
  EXPECT_EQ(to_f16(0.0f), 0x0000);
  EXPECT_EQ(to_f16(-0.0f), 0x8000);
  EXPECT_EQ(to_f16(1.0f), 0x3C00);
  EXPECT_EQ(to_f16(-2.5f), 0xC100);
  EXPECT_EQ(to_f16(1.0f + 0x1p-11f), 0x3C00);      // a tie, down to even
  EXPECT_EQ(to_f16(1.0f + 3 * 0x1p-11f), 0x3C02);  // a tie, up to even
  EXPECT_EQ(to_f16(1.0f + 0x1p-11f + 0x1p-20f), 0x3C01);
  EXPECT_EQ(to_f16(65504.0f), 0x7BFF);
  EXPECT_EQ(to_f16(65519.0f), 0x7BFF);
  EXPECT_EQ(to_f16(65520.0f), 0x7C00);
  EXPECT_EQ(to_f16(0x1p-14f), 0x0400);
  EXPECT_EQ(to_f16(0x1p-24f), 0x0001);
  EXPECT_EQ(to_f16(0x1p-25f), 0x0000);  // ties below the normal numbers
  EXPECT_EQ(to_f16(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(to_f16(0x1.FFEp-15f), 0x0400);  // rounds up into the normal numbers
  EXPECT_EQ(to_f16(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_EQ(to_f16(std::numeric_limits<float>::quiet_NaN()) & 0x7E00, 0x7E00);
}

TEST(Convert, Bfloat16RoundsToNearestTiesToEven) {
  EXPECT_EQ(to_bf16(1.0f), 0x3F80);
  EXPECT_EQ(to_bf16(-2.0f), 0xC000);
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F808000U)), 0x3F80);  // a tie, down to even
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F818000U)), 0x3F82);  // a tie, up to even
  EXPECT_EQ(to_bf16(std::bit_cast<float>(0x3F808001U)), 0x3F81);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::quiet_NaN()) & 0x7FC0, 0x7FC0);
}

TEST(Convert, NormalizeIsTorchvisionsArithmeticInSinglePrecision) {
  const ConvertTable table(DType::f32, kImagenetStatistics);
  for (int value = 0; value < 256; ++value) {
    // volatile: each operation rounds to single precision by itself.
    volatile float share = static_cast<float>(value) / 255.0f;
    volatile float centred = share - 0.456f;
    volatile float wanted = centred / 0.224f;
    EXPECT_EQ(table.bits(1, static_cast<std::uint8_t>(value)), std::bit_cast<std::uint32_t>(float{wanted}));
  }
  // (0 - 0.485) / 0.229 and (1 - 0.406) / 0.225
  EXPECT_NEAR(std::bit_cast<float>(table.bits(0, 0)), -2.1179039, 1e-6);
  EXPECT_NEAR(std::bit_cast<float>(table.bits(2, 255)), 2.64, 1e-6);
}

TEST(Convert, WithoutNormalizeValuesStayWhatTheyAre) {
  const Picture picture = random_picture(40, 3);
  const Bytes out = converted(picture, false, ConvertTable(DType::f32, std::nullopt), Layout::nhwc, false);
  for (std::size_t x = 0; x < 120; ++x) EXPECT_EQ(float_at(out, x), static_cast<float>(picture.pixels[x]));
  EXPECT_EQ(ConvertTable(DType::f16, std::nullopt).bits(0, 255), to_f16(255.0f));
}

TEST(Convert, PlanesAndPixelsAndTheFlip) {
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // two by two
  const RgbView view{pixels.data(), 2, 2, 6};
  const ConvertTable table(DType::u8, std::nullopt);
  const auto bytes = [&](bool flip, Layout layout) {
    std::vector<std::uint8_t> out(12);
    convert(view, flip, table, layout, reinterpret_cast<std::byte*>(out.data()));
    return out;
  };
  using U8 = std::vector<std::uint8_t>;
  EXPECT_EQ(bytes(false, Layout::nhwc), pixels);
  EXPECT_EQ(bytes(true, Layout::nhwc), (U8{4, 5, 6, 1, 2, 3, 10, 11, 12, 7, 8, 9}));
  EXPECT_EQ(bytes(false, Layout::nchw), (U8{1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}));
  EXPECT_EQ(bytes(true, Layout::nchw), (U8{4, 1, 10, 7, 5, 2, 11, 8, 6, 3, 12, 9}));
}

TEST(Convert, SimdEqualsTheTableToTheBit) {
  const std::optional<Normalize> normalizes[] = {std::nullopt, kImagenetStatistics,
                                                 Normalize{{0.5f, 0.1f, 0.9f}, {0.5f, 0.3f, 7.0f}},
                                                 Normalize{{0, 0, 0}, {1e-30f, 1e30f, 1e-38f}}};
  test::on_every_target([&] {
    for (const DType dtype : {DType::u8, DType::f16, DType::bf16, DType::f32}) {
      for (const std::optional<Normalize>& normalize : normalizes) {
        if (normalize && dtype == DType::u8) continue;
        const ConvertTable table(dtype, normalize);
        for (const int width : {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 130, 224}) {
          const Picture picture = random_picture(width, 3);
          for (const bool flip : {false, true}) {
            for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
              ASSERT_EQ(converted(picture, flip, table, layout, false),
                        converted(picture, flip, table, layout, true))
                  << to_string(dtype) << " " << to_string(layout) << " width " << width << " flip " << flip;
            }
          }
        }
      }
    }
  });
}

// Where the processor multiplies and adds with one rounding, the usual statistics need no table.
TEST(Convert, TheFastWayIsTaken) {
  if ((hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3)) == 0)
    GTEST_SKIP() << "no fused multiply-add known here";
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    EXPECT_TRUE(ConvertTable(dtype, kImagenetStatistics).is_simd_exact()) << to_string(dtype);
    EXPECT_TRUE(ConvertTable(dtype, std::nullopt).is_simd_exact()) << to_string(dtype);
  }
}

}  // namespace
}  // namespace stoker::image
