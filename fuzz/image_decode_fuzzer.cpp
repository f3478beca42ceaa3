// Any bytes as an image file, decoded by any specification: refused, or pixels of the size that was asked
// for.
#include <vector>

#include "fuzzer.hpp"
#include "image/decoder.hpp"
#include "jpeg_choices.hpp"

namespace stoker::fuzz {
namespace {

constexpr std::uint64_t kMostPixels = 1 << 14;

DecodeSpec random_spec(const ImageInfo& info, SampleRng& choices) {
  DecodeSpec spec{.max_pixels = kMostPixels};
  Size size{info.width, info.height};
  if (choices.below(2) == 0) {
    spec.crop = random_region(info.width, info.height, choices);
    size = {spec.crop->width, spec.crop->height};
  }
  if (choices.below(2) == 0) spec.resize = size = Size{1 + below(choices, 40), 1 + below(choices, 40)};
  if (choices.below(3) == 0) {
    spec.window = random_region(size.width, size.height, choices);
    spec.window->x += below(choices, 9) - 4;
  }
  spec.filter = choices.below(2) == 0 ? Filter::bilinear : Filter::bicubic;
  spec.pixels = choices.below(2) == 0 ? PixelMode::exact : PixelMode::fast;
  return spec;
}

struct Picture {
  std::vector<std::uint8_t> rgb;
  std::string warning;
};

std::optional<Picture> decode(image::Decoder& decoder, std::span<const std::byte> file,
                              const DecodeSpec& spec, image::Learn learn) {
  const auto decoded = decoder.decode(file, spec, learn);
  if (!decoded) return std::nullopt;
  Picture picture{.warning = std::string(decoded->warning)};
  for (int y = 0; y < decoded->pixels.height; ++y) {
    const std::uint8_t* row = decoded->pixels.data + static_cast<std::size_t>(y) * decoded->pixels.stride;
    picture.rgb.insert(picture.rgb.end(), row, row + 3 * decoded->pixels.width);
  }
  return picture;
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace stoker;
  using namespace stoker::fuzz;
  auto input = image_input(data, bytes);
  if (!input) return -1;
  static image::Decoder decoder;
  const auto info = decoder.info(input->file);
  if (!info || info->width < 1 || info->height < 1) return 0;
  if (std::uint64_t(info->width) * std::uint64_t(info->height) > kMostPixels) {
    expect(!decoder.decode(input->file, {.max_pixels = kMostPixels}), "too large a picture is refused");
    return -1;
  }
  DecodeSpec spec = random_spec(*info, input->choices);
  const auto plain = decode(decoder, input->file, spec, image::Learn::nothing);
  const std::vector<std::byte> points = make_seek_points(input->file);
  spec.seek_points = points;
  const auto by_points = decode(decoder, input->file, spec, image::Learn::whole_file);
  expect(plain.has_value() == by_points.has_value(), "points change no fate");
  if (!plain) return 0;
  const Size size = spec.window   ? Size{spec.window->width, spec.window->height}
                    : spec.resize ? *spec.resize
                    : spec.crop   ? Size{spec.crop->width, spec.crop->height}
                                  : Size{info->width, info->height};
  expect(
      plain->rgb.size() == 3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height),
      "as many pixels as were asked for");
  expect(plain->rgb == by_points->rgb && plain->warning == by_points->warning, "points change no pixel");
  return 0;
}
