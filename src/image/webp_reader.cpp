#include "image/webp_reader.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <webp/decode.h>

#include "base/endian.hpp"
#include "jpeg/exif.hpp"

namespace stoker::image {

namespace {

constexpr std::string_view kOperation = "decode WebP";

using Bytes = std::span<const std::byte>;

const std::uint8_t* data_of(Bytes bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

tl::unexpected<Error> webp_error(VP8StatusCode status) {
  const auto failure = [](ErrorCode code, const char* found) {
    return fail(code, {.operation = std::string(kOperation), .found = found});
  };
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return failure(ErrorCode::out_of_resources, "no memory");
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return failure(ErrorCode::corrupt_data, "the file ends too early");
    case VP8_STATUS_BITSTREAM_ERROR:
      return failure(ErrorCode::corrupt_data, "a damaged bit stream");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return failure(ErrorCode::unsupported, "a feature that libwebp does not read");
    default:
      return failure(ErrorCode::corrupt_data, "libwebp refused it");
  }
}

Result<WebPBitstreamFeatures> read_features(Bytes bytes) {
  WebPBitstreamFeatures features{};
  const VP8StatusCode status = WebPGetFeatures(data_of(bytes), bytes.size(), &features);
  if (status != VP8_STATUS_OK) return webp_error(status);
  if (features.has_animation) {
    return fail(ErrorCode::unsupported,
                {.operation = std::string(kOperation),
                 .found = "an animation",
                 .allowed = "still pictures",
                 .next_step = "store the frame that is wanted as a picture of its own"});
  }
  return features;
}

// The orientation in the EXIF chunk, if there is one that lies inside the file.
// Source: WebP container specification, "Extended File Format": chunks of tag, u32 size, data, padded to even
// sizes.
int orientation_of(Bytes bytes) {
  constexpr std::size_t kRiffHeader = 12, kChunkHeader = 8;
  for (std::size_t at = kRiffHeader; at + kChunkHeader <= bytes.size();) {
    const std::size_t size = load_le<std::uint32_t>(bytes.data() + at + 4);
    if (size > bytes.size() - at - kChunkHeader) return 1;
    if (std::memcmp(bytes.data() + at, "EXIF", 4) == 0) {
      Bytes block = bytes.subspan(at + kChunkHeader, size);
      // Some writers keep JPEG's prefix.
      if (size >= 6 && std::memcmp(block.data(), "Exif\0\0", 6) == 0) block = block.subspan(6);
      return jpeg::exif_orientation(block);
    }
    at += kChunkHeader + size + size % 2;
  }
  return 1;
}

}  // namespace

Result<ImageInfo> WebpReader::info(Bytes bytes) {
  const auto features = read_features(bytes);
  if (!features) return tl::unexpected(features.error());
  return ImageInfo{.kind = ImageKind::webp,
                   .width = features->width,
                   .height = features->height,
                   .components = features->has_alpha ? 4 : 3,
                   .orientation = orientation_of(bytes)};
}

Result<Size> WebpReader::open(Bytes bytes, std::uint64_t max_pixels) {
  const auto features = read_features(bytes);
  if (!features) return tl::unexpected(features.error());
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(features->width) * static_cast<std::uint64_t>(features->height);
  if (pixels > max_pixels) {
    return fail(ErrorCode::out_of_resources,
                {.operation = std::string(kOperation),
                 .found = fmt::format("{} x {} pixels", features->width, features->height),
                 .allowed = fmt::format("{} pixels", max_pixels),
                 .next_step = "raise max_pixels if the file is to be trusted"});
  }
  bytes_ = bytes;
  size_ = {features->width, features->height};
  return size_;
}

Result<Rect> WebpReader::begin(const Rect&) { return Rect{0, 0, size_.width, size_.height}; }

Result<void> WebpReader::read(std::uint8_t* rgb, std::size_t stride) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) {
    return fail(ErrorCode::internal, {.operation = std::string(kOperation),
                                      .found = "another libwebp at run time than at build time"});
  }
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = rgb;
  config.output.u.RGBA.stride = static_cast<int>(stride);
  config.output.u.RGBA.size =
      stride * static_cast<std::size_t>(size_.height - 1) + 3 * static_cast<std::size_t>(size_.width);
  const VP8StatusCode status = WebPDecode(data_of(bytes_), bytes_.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) return webp_error(status);
  return {};
}

}  // namespace stoker::image
