#include "image/decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "image/fixtures.hpp"
#include "jpeg/fixtures.hpp"

namespace stoker::image {
namespace {

using Bytes = std::vector<std::byte>;
using Rgb = std::vector<std::uint8_t>;

Rgb packed(const RgbView& view) {
  Rgb rgb;
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* row = view.data + static_cast<std::size_t>(y) * view.stride;
    rgb.insert(rgb.end(), row, row + 3 * view.width);
  }
  return rgb;
}

// The pixels `rect` of a picture; what lies outside it is zero.
Rgb windowed(const Rgb& rgb, Size size, const Rect& rect) {
  Rgb part;
  for (int y = rect.y; y < rect.y + rect.height; ++y) {
    for (int x = rect.x; x < rect.x + rect.width; ++x) {
      const bool inside = x >= 0 && y >= 0 && x < size.width && y < size.height;
      for (int c = 0; c < 3; ++c) {
        part.push_back(
            inside ? rgb[3 * static_cast<std::size_t>(y * size.width + x) + static_cast<std::size_t>(c)]
                   : std::uint8_t{0});
      }
    }
  }
  return part;
}

Bytes jpeg_file(int width, int height) {
  return jpeg::fixtures::encode(jpeg::fixtures::picture(width, height), width, height,
                                {.h = {2, 1, 1}, .v = {2, 1, 1}});
}

// The same size in each readable kind.
std::vector<Bytes> files_of_each_kind(int width, int height) {
  Rgb rgba;
  const Rgb rgb = jpeg::fixtures::picture(width, height);
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    rgba.push_back(rgb[i]);
    if (i % 3 == 2) rgba.push_back(255);
  }
  return {jpeg_file(width, height), fixtures::Png{.width = width, .height = height}.file(),
          fixtures::webp(rgba, width, height, false)};
}

TEST(Decoder, CropsAndWindowsEqualThoseOfTheWholePicture) {
  Decoder decoder;
  for (const Bytes& file : files_of_each_kind(90, 70)) {
    const auto whole = decoder.decode(file, {});
    ASSERT_TRUE(whole) << whole.error().what();
    ASSERT_EQ(whole->pixels.width, 90);
    const Rgb rgb = packed(whole->pixels);
    for (const Rect crop : {Rect{0, 0, 90, 70}, Rect{31, 17, 40, 50}, Rect{89, 69, 1, 1}}) {
      const auto cropped = decoder.decode(file, {.crop = crop});
      ASSERT_TRUE(cropped) << cropped.error().what();
      const Rgb crop_rgb = windowed(rgb, {90, 70}, crop);
      EXPECT_EQ(packed(cropped->pixels), crop_rgb);
      for (const Rect window :
           {Rect{0, 0, 1, 1}, Rect{-4, -3, 20, 10}, Rect{crop.width - 1, crop.height - 1, 8, 8},
            Rect{-5, -5, crop.width + 10, crop.height + 10}, Rect{-30, 0, 10, 10},
            Rect{crop.width, crop.height, 5, 5}}) {
        const auto part = decoder.decode(file, {.crop = crop, .window = window});
        ASSERT_TRUE(part) << part.error().what();
        EXPECT_EQ(packed(part->pixels), windowed(crop_rgb, {crop.width, crop.height}, window))
            << window.x << "," << window.y;
      }
    }
  }
}

TEST(Decoder, ResizesTheCropAsIfAllOfItHadBeenDecoded) {
  Decoder decoder;
  Resizer resizer;
  const Rect crop{11, 7, 70, 60};
  for (const Bytes& file : files_of_each_kind(90, 70)) {
    const Rgb crop_rgb = packed(decoder.decode(file, {.crop = crop})->pixels);
    for (const Filter filter : {Filter::bilinear, Filter::bicubic}) {
      for (const Size target : {Size{32, 24}, Size{140, 90}, Size{70, 20}, Size{1, 1}}) {
        Rgb expected(static_cast<std::size_t>(target.width * target.height * 3));
        resizer.resize(
            {crop_rgb.data(), crop.width, crop.height, 3 * 70}, {0, 0, crop.width, crop.height},
            {crop.width, crop.height}, target, {0, 0, target.width, target.height}, filter,
            {expected.data(), target.width, target.height, 3 * static_cast<std::size_t>(target.width)});
        const auto resized = decoder.decode(file, {.crop = crop, .resize = target, .filter = filter});
        ASSERT_TRUE(resized) << resized.error().what();
        ASSERT_EQ(packed(resized->pixels), expected);
        for (const Rect window :
             {Rect{0, 0, 1, 1}, Rect{target.width / 2, target.height / 3, 20, 20}, Rect{-2, -2, 9, 9}}) {
          const auto part =
              decoder.decode(file, {.crop = crop, .resize = target, .window = window, .filter = filter});
          ASSERT_TRUE(part) << part.error().what();
          EXPECT_EQ(packed(part->pixels), windowed(expected, target, window));
        }
      }
    }
  }
}

TEST(Decoder, AResizeToTheSameSizeChangesNothing) {
  Decoder decoder;
  const Bytes file = jpeg_file(90, 70);
  const Rgb crop = packed(decoder.decode(file, {.crop = Rect{3, 5, 40, 30}})->pixels);
  const auto resized =
      decoder.decode(file, {.crop = Rect{3, 5, 40, 30}, .resize = Size{40, 30}, .filter = Filter::bicubic});
  ASSERT_TRUE(resized);
  EXPECT_EQ(packed(resized->pixels), crop);
}

TEST(Decoder, RefusesRectanglesThatCannotBe) {
  Decoder decoder;
  const Bytes file = jpeg_file(90, 70);
  for (const Rect crop : {Rect{0, 0, 91, 70}, Rect{-1, 0, 10, 10}, Rect{85, 0, 6, 10}, Rect{0, 0, 0, 10},
                          Rect{0, 0, 10, -1}, Rect{2'147'483'600, 0, 100, 10}}) {
    const auto refused = decoder.decode(file, {.crop = crop});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
    EXPECT_THAT(std::string(refused.error().what()), testing::HasSubstr("90 x 70"));
  }
  EXPECT_EQ(decoder.decode(file, {.resize = Size{0, 5}}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(decoder.decode(file, {.window = Rect{0, 0, 5, 0}}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(decoder.decode(file, {.resize = Size{100'000, 100'000}}).error().code(),
            ErrorCode::out_of_resources);
  EXPECT_EQ(decoder.decode(file, {.max_pixels = 6'299}).error().code(), ErrorCode::out_of_resources);
  EXPECT_TRUE(decoder.decode(file, {.max_pixels = 6'300})) << "and goes on";
}

TEST(Decoder, ScalesNoFurtherThanAsked) {
  Decoder decoder;
  const Bytes file = jpeg_file(400, 300);
  const auto scaled = [&](Size at_least) {
    const auto decoded = decoder.decode_scaled(file, at_least, kDefaultMaxPixels);
    EXPECT_TRUE(decoded);
    return Size{decoded->pixels.width, decoded->pixels.height};
  };
  EXPECT_EQ(scaled({1, 1}), (Size{50, 38}));
  EXPECT_EQ(scaled({50, 37}), (Size{50, 38}));
  EXPECT_EQ(scaled({51, 1}), (Size{100, 75}));
  EXPECT_EQ(scaled({100, 76}), (Size{200, 150}));
  EXPECT_EQ(scaled({201, 1}), (Size{400, 300}));
  EXPECT_EQ(scaled({1'000, 1'000}), (Size{400, 300})) << "never enlarged";
  EXPECT_EQ(packed(decoder.decode_scaled(file, {400, 300}, kDefaultMaxPixels)->pixels),
            packed(decoder.decode(file, {})->pixels));
  for (const Bytes& other : files_of_each_kind(90, 70)) {
    EXPECT_EQ(decoder.decode_scaled(other, {1, 1}, 6'299).error().code(), ErrorCode::out_of_resources);
  }
  EXPECT_EQ(decoder.decode_scaled(fixtures::Png{.width = 90, .height = 70}.file(), {1, 1}, kDefaultMaxPixels)
                ->pixels.width,
            90);
}

TEST(Decoder, MeasuresWhereTheTimeWent) {
  Decoder decoder;
  const auto decoded = decoder.decode(jpeg_file(400, 300), {.resize = Size{200, 150}});
  ASSERT_TRUE(decoded);
  EXPECT_GT(decoded->decode_time.count(), 0);
  EXPECT_GT(decoded->resize_time.count(), 0);
}

TEST(Decoder, MovesWithItsMemory) {
  Decoder first;
  const auto decoded = first.decode(jpeg_file(64, 64), {});
  ASSERT_TRUE(decoded);
  const Rgb expected = packed(decoded->pixels);
  Decoder second(std::move(first));
  EXPECT_EQ(packed(decoded->pixels), expected);
  first = std::move(second);
  EXPECT_TRUE(first.decode(jpeg_file(64, 64), {}));
}

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

TEST(Decoder, NamesWhatItCannotRead) {
  using namespace std::string_view_literals;
  Decoder decoder;
  for (const auto& [text, code, word] :
       {std::tuple{"GIF89a\x01\0"sv, ErrorCode::unsupported, "gif"},
        std::tuple{"BM6"sv, ErrorCode::unsupported, "bmp"},
        std::tuple{"II*\0"sv, ErrorCode::unsupported, "tiff"},
        std::tuple{"P5 1 1 255 x"sv, ErrorCode::unsupported, "pnm"},
        std::tuple{""sv, ErrorCode::corrupt_data, "no bytes"},
        std::tuple{"hello\n"sv, ErrorCode::corrupt_data, "text"},
        std::tuple{"version https://git-lfs.github.com/spec/v1"sv, ErrorCode::corrupt_data, "git-LFS"}}) {
    const auto decoded = decoder.decode(bytes_of(text), {});
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code(), code) << word;
    EXPECT_THAT(std::string(decoded.error().what()), testing::HasSubstr(word));
    const auto info = decoder.info(bytes_of(text));
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().code(), code) << word;
  }
}

TEST(DecodeImage, GivesPackedPixelsOrThrows) {
  const Bytes file = jpeg_file(90, 70);
  const Image image = decode_image(file, {.crop = Rect{31, 17, 40, 50}});
  EXPECT_EQ(image.width, 40);
  EXPECT_EQ(image.height, 50);
  EXPECT_EQ(image.warning, "");
  Decoder decoder;
  EXPECT_EQ(image.rgb, packed(decoder.decode(file, {.crop = Rect{31, 17, 40, 50}})->pixels));

  const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
  EXPECT_NE(decode_image(cut).warning, "");
  try {
    decode_image(bytes_of("hello"));
    FAIL() << "text is no image";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt_data);
  }
}

TEST(ReadImageInfo, TellsTheKindAndSizeOfEach) {
  const std::vector<Bytes> files = files_of_each_kind(90, 70);
  const std::vector<ImageKind> kinds{ImageKind::jpeg, ImageKind::png, ImageKind::webp};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ImageInfo info = read_image_info(files[i]);
    EXPECT_EQ(info.kind, kinds[i]);
    EXPECT_EQ(info.width, 90);
    EXPECT_EQ(info.height, 70);
    EXPECT_EQ(info.components, 3);
    EXPECT_EQ(info.process, i == 0 ? "baseline" : "");
    EXPECT_EQ(info.sampling, i == 0 ? "2x2 1x1 1x1" : "");
  }
  EXPECT_THROW(read_image_info(bytes_of("hello")), Error);
}

}  // namespace
}  // namespace stoker::image
