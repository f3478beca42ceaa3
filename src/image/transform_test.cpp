#include "image/transform.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

#include "jpeg/fixtures.hpp"

namespace stoker::image {
namespace {

constexpr std::uint64_t kPixels = kDefaultMaxPixels;

jpeg::fixtures::Bytes photo(int width, int height) {
  return jpeg::fixtures::encode(jpeg::fixtures::picture(width, height), width, height, {});
}

std::vector<std::byte> tensor_of(const Transform& transform, Decoder& decoder,
                                 std::span<const std::byte> file, const SampleCoordinates& sample) {
  std::vector<std::byte> out(transform.recipe().bytes_per_sample());
  const Result<TransformOutcome> outcome =
      transform.run(decoder, {.bytes = file, .max_pixels = kPixels}, sample, out.data());
  EXPECT_TRUE(outcome.has_value());
  return out;
}

// The steps one by one, each on whole pictures: no folding, no windows, no SIMD.
std::vector<std::byte> slow_tensor(const Recipe& recipe, std::span<const std::byte> file,
                                   const SampleCoordinates& sample) {
  Image picture = decode_image(file);
  std::optional<Normalize> normalize;
  const auto cut = [&](const Rect& rect) {
    Image out{rect.width, rect.height,
              std::vector<std::uint8_t>(static_cast<std::size_t>(rect.width * rect.height * 3)), ""};
    for (int y = 0; y < rect.height; ++y) {
      for (int x = 0; x < rect.width; ++x) {
        const int from_x = rect.x + x, from_y = rect.y + y;
        if (from_x < 0 || from_y < 0 || from_x >= picture.width || from_y >= picture.height) continue;
        std::memcpy(&out.rgb[static_cast<std::size_t>(y * rect.width + x) * 3],
                    &picture.rgb[static_cast<std::size_t>(from_y * picture.width + from_x) * 3], 3);
      }
    }
    picture = std::move(out);
  };
  const auto resize = [&](Size to, Filter filter) {
    Resizer resizer;
    resizer.use_scalar_reference(true);
    Image out{to.width, to.height,
              std::vector<std::uint8_t>(static_cast<std::size_t>(to.width * to.height * 3)), ""};
    const Size from{picture.width, picture.height};
    resizer.resize({picture.rgb.data(), from.width, from.height, static_cast<std::size_t>(from.width) * 3},
                   {0, 0, from.width, from.height}, from, to, {0, 0, to.width, to.height}, filter,
                   {out.rgb.data(), to.width, to.height, static_cast<std::size_t>(to.width) * 3});
    picture = std::move(out);
  };
  for (std::size_t i = 0; i < recipe.steps().size(); ++i) {
    SampleRng rng(sample.seed, sample.epoch, sample.index, static_cast<std::uint32_t>(i));
    const Size size{picture.width, picture.height};
    const Step& step = recipe.steps()[i];
    if (const auto* s = std::get_if<RandomResizedCrop>(&step)) {
      cut(random_resized_crop_rect(size, *s, rng));
      resize(s->size, s->filter);
    } else if (const auto* r = std::get_if<ResizeStep>(&step)) {
      resize(resized_size(size, *r), r->filter);
    } else if (const auto* c = std::get_if<CenterCrop>(&step)) {
      cut(center_crop_rect(size, c->size));
    } else if (const auto* rc = std::get_if<RandomCrop>(&step)) {
      cut(random_crop_rect(size, *rc, rng));
    } else if (const auto* f = std::get_if<Flip>(&step); f && rng.uniform() < f->probability) {
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width / 2; ++x) {
          std::uint8_t* row = &picture.rgb[static_cast<std::size_t>(y * size.width) * 3];
          std::swap_ranges(row + 3 * x, row + 3 * x + 3, row + 3 * (size.width - 1 - x));
        }
      }
    } else if (const auto* n = std::get_if<Normalize>(&step)) {
      normalize = *n;
    }
  }
  std::vector<std::byte> out(recipe.bytes_per_sample());
  convert_scalar(
      {picture.rgb.data(), picture.width, picture.height, static_cast<std::size_t>(picture.width) * 3}, false,
      ConvertTable(recipe.dtype(), normalize), recipe.layout(), out.data());
  return out;
}

TEST(Transform, EqualsTheStepsDoneOneByOne) {
  const auto file = photo(173, 141);
  Decoder decoder;
  for (const char* text :
       {"imagenet_train(96)", "imagenet_eval(64)",
        "resize(64, filter=bicubic) center_crop(80x50) tensor(f16)", "random_crop(100, padding=7) flip",
        "center_crop(200x150) tensor(nhwc)", "flip random_crop(33) center_crop(31x40) tensor(bf16, nhwc)",
        "center_crop(120) random_resized_crop(48) flip",
        "flip(1) resize(90) random_crop(50, padding=3) normalize(mean=0.5/0.5/0.5, std=0.5/0.5/0.5)",
        "random_crop(3, padding=400)", "resize(60) center_crop(40) random_crop(44, padding=9) flip",
        "center_crop(40) random_crop(44, padding=9)",
        "flip(1) resize(60) center_crop(21) center_crop(30x15) center_crop(33)",
        "resize(50) center_crop(9) random_crop(5, padding=200)", "resize(40x90, filter=bicubic)",
        "flip(1) center_crop(100x99) resize(31x30)"}) {
    const Transform transform(Recipe::parse(text));
    for (std::uint64_t index = 0; index < 12; ++index) {
      const SampleCoordinates sample{11, 4, index};
      ASSERT_EQ(tensor_of(transform, decoder, file, sample), slow_tensor(transform.recipe(), file, sample))
          << text << " sample " << index;
    }
  }
}

TEST(Transform, TheSameSampleIsTheSameTensorOnAnyDecoder) {
  const Transform transform(Recipe::parse("imagenet_train(64)"));
  const auto file = photo(200, 150);
  Decoder first, second;
  tensor_of(transform, second, photo(90, 30), {1, 0, 5});
  EXPECT_EQ(tensor_of(transform, first, file, {1, 0, 5}), tensor_of(transform, second, file, {1, 0, 5}));
  EXPECT_NE(tensor_of(transform, first, file, {1, 0, 5}), tensor_of(transform, first, file, {1, 1, 5}));
  EXPECT_NE(tensor_of(transform, first, file, {1, 0, 5}), tensor_of(transform, first, file, {2, 0, 5}));
}

TEST(Transform, TimesAreToldApart) {
  const Transform transform(Recipe::parse("imagenet_train(224)"));
  const auto file = photo(600, 500);
  Decoder decoder;
  std::vector<std::byte> out(transform.recipe().bytes_per_sample());
  const auto outcome = transform.run(decoder, {.bytes = file, .max_pixels = kPixels}, {}, out.data());
  ASSERT_TRUE(outcome.has_value());
  EXPECT_GT(outcome->decode_time.count(), 0);
  EXPECT_GT(outcome->transform_time.count(), 0);
  EXPECT_TRUE(outcome->warning.empty());
}

TEST(Transform, ErrorsComeFromTheDecoder) {
  const Transform transform(Recipe::parse("imagenet_train(32)"));
  std::vector<std::byte> out(transform.recipe().bytes_per_sample());
  Decoder decoder;
  const auto file = photo(100, 80);
  const auto too_large = transform.run(decoder, {.bytes = file, .max_pixels = 7999}, {}, out.data());
  ASSERT_FALSE(too_large.has_value());
  EXPECT_EQ(too_large.error().code(), ErrorCode::out_of_resources);
  const auto empty = transform.run(decoder, {.max_pixels = kPixels}, {}, out.data());
  ASSERT_FALSE(empty.has_value());
  const std::string text = "this is no picture";
  EXPECT_FALSE(
      transform.run(decoder, {.bytes = std::as_bytes(std::span(text)), .max_pixels = kPixels}, {}, out.data())
          .has_value());
  EXPECT_TRUE(transform.run(decoder, {.bytes = file, .max_pixels = 8000}, {}, out.data())
                  .has_value());  // and it still works
}

// A text that claims to be a picture of 65,535 columns and one row costs neither time nor memory on its way.
TEST(Transform, ALongPictureIsResizedOrRefused) {
  const Transform transform(Recipe::parse("resize(16384) center_crop(64)"));
  Decoder decoder;
  std::vector<std::byte> out(transform.recipe().bytes_per_sample());
  const auto wide = photo(20000, 1);
  EXPECT_TRUE(transform.run(decoder, {.bytes = wide, .max_pixels = kPixels}, {}, out.data()).has_value());
  const auto wider = photo(40000, 1);
  const auto refused = transform.run(decoder, {.bytes = wider, .max_pixels = kPixels}, {}, out.data());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace stoker::image
