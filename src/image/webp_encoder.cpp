#include <cstdint>
#include <memory>
#include <webp/decode.h>
#include <webp/encode.h>

#include "image/pixel_encoders.hpp"

namespace stoker::image {

Result<void> encode_webp(const RgbView& pixels, int quality, bool lossless, std::vector<std::byte>& out) {
  std::uint8_t* raw = nullptr;
  const int stride = static_cast<int>(pixels.stride);
  const std::size_t bytes =
      lossless ? WebPEncodeLosslessRGB(pixels.data, pixels.width, pixels.height, stride, &raw)
               : WebPEncodeRGB(pixels.data, pixels.width, pixels.height, stride, static_cast<float>(quality),
                               &raw);
  const std::unique_ptr<std::uint8_t, decltype(&WebPFree)> buffer(raw, &WebPFree);
  if (bytes == 0) {  // the simple interface does not say why; sizes were checked before
    return fail(ErrorCode::out_of_resources, {.operation = "encode WebP", .found = "libwebp gave no bytes"});
  }
  const auto* begin = reinterpret_cast<const std::byte*>(raw);
  out.assign(begin, begin + bytes);
  return {};
}

bool webp_is_lossless(std::span<const std::byte> bytes) {
  constexpr int kLossless = 2;  // WebPBitstreamFeatures::format
  WebPBitstreamFeatures features{};
  const auto status =
      WebPGetFeatures(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &features);
  return status == VP8_STATUS_OK && features.format == kLossless;
}

}  // namespace stoker::image
