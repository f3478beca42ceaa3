#include "jpeg/encoder.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "jpeg/fixtures.hpp"
#include "jpeg/header.hpp"
#include "jpeg/turbo_decoder.hpp"

namespace stoker::jpeg {
namespace {

using fixtures::Bytes;

Bytes copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

std::vector<std::uint8_t> decode(std::span<const std::byte> file, int width, int height) {
  TurboDecoder decoder;
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width * height * 3));
  EXPECT_EQ(decoder.open(file, 1'000'000).value(), (Size{width, height}));
  EXPECT_TRUE(decoder.begin({0, 0, width, height}));
  EXPECT_TRUE(decoder.read(rgb.data(), static_cast<std::size_t>(width) * 3));
  EXPECT_EQ(decoder.warning(), "");
  return rgb;
}

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(Encoder, WritesWhatLibjpegItselfWrites) {
  const auto rgb = fixtures::picture(75, 41);
  Encoder encoder;
  const auto file = encoder.encode(rgb.data(), 75, 41, 3 * 75, {.quality = 85, .luma_h = 2, .luma_v = 2});
  ASSERT_TRUE(file) << file.error().what();
  EXPECT_EQ(copy(*file), fixtures::encode(rgb, 75, 41, {.quality = 85, .h = {2, 1, 1}, .v = {2, 1, 1}}));
}

TEST(Encoder, TakesEverySamplingAndGivesBackThePicture) {
  const auto rgb = fixtures::picture(75, 41);
  Encoder encoder;
  for (const auto& [h, v, name] :
       {std::tuple{1, 1, "1x1 1x1 1x1"}, std::tuple{2, 1, "2x1 1x1 1x1"}, std::tuple{1, 2, "1x2 1x1 1x1"},
        std::tuple{2, 2, "2x2 1x1 1x1"}, std::tuple{4, 1, "4x1 1x1 1x1"}}) {
    const auto file = encoder.encode(rgb.data(), 75, 41, 3 * 75, {.quality = 95, .luma_h = h, .luma_v = v});
    ASSERT_TRUE(file) << file.error().what();
    EXPECT_EQ(sampling_text(read_header(*file).value()), name);
    // Noise of ±24 in each channel is what subsampled chroma loses.
    EXPECT_LT(mean_difference(decode(*file, 75, 41), rgb), h * v == 1 ? 5 : 18) << name;
  }
}

TEST(Encoder, ReusesItsMemoryAndForgetsTheOptionsOfBefore) {
  const auto rgb = fixtures::picture(400, 300);
  Encoder used, fresh;
  // Larger than the first buffer, so that it grows on the way.
  const auto large = used.encode(rgb.data(), 400, 300, 3 * 400, {.quality = 100, .luma_h = 1, .luma_v = 1});
  ASSERT_TRUE(large);
  EXPECT_GT(large->size(), 64u * 1024);
  EXPECT_LT(mean_difference(decode(*large, 400, 300), rgb), 3);
  ASSERT_TRUE(used.encode(rgb.data(), 30, 20, 3 * 400, {.gray = true, .optimize = true}));
  EXPECT_EQ(copy(used.encode(rgb.data(), 50, 40, 3 * 400, {}).value()),
            copy(fresh.encode(rgb.data(), 50, 40, 3 * 400, {}).value()));
}

TEST(Encoder, TakesTheFirstChannelForGray) {
  auto rgb = fixtures::picture(64, 48);
  for (std::size_t i = 0; i < rgb.size(); i += 3) rgb[i + 1] = rgb[i + 2] = rgb[i];
  Encoder encoder;
  const auto file = encoder.encode(rgb.data(), 64, 48, 3 * 64, {.quality = 98, .gray = true});
  ASSERT_TRUE(file);
  EXPECT_EQ(read_header(*file)->components.size(), 1u);
  EXPECT_LT(mean_difference(decode(*file, 64, 48), rgb), 3);
}

TEST(Encoder, OptimisedTablesAreSmallerForTheSamePixels) {
  const auto rgb = fixtures::picture(200, 150);
  Encoder encoder;
  const Bytes plain = copy(encoder.encode(rgb.data(), 200, 150, 600, {}).value());
  const Bytes optimised = copy(encoder.encode(rgb.data(), 200, 150, 600, {.optimize = true}).value());
  EXPECT_LT(optimised.size(), plain.size());
  EXPECT_EQ(decode(optimised, 200, 150), decode(plain, 200, 150));
}

TEST(Encoder, RefusesWhatJpegCannotHold) {
  const auto rgb = fixtures::picture(8, 8);
  Encoder encoder;
  const auto refused = [&](int width, int height, const EncodeSpec& spec) {
    const auto file = encoder.encode(rgb.data(), width, height, 24, spec);
    return !file && file.error().code() == ErrorCode::invalid_argument;
  };
  EXPECT_TRUE(refused(0, 8, {}));
  EXPECT_TRUE(refused(8, 65'501, {}));
  EXPECT_TRUE(refused(8, 8, {.quality = 0}));
  EXPECT_TRUE(refused(8, 8, {.quality = 101}));
  EXPECT_TRUE(refused(8, 8, {.luma_h = 3}));
  EXPECT_TRUE(refused(8, 8, {.luma_h = 4, .luma_v = 4}));
  EXPECT_TRUE(encoder.encode(rgb.data(), 8, 8, 24, {})) << "and goes on";
}

}  // namespace
}  // namespace stoker::jpeg
