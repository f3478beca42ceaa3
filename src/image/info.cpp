#include "image/info.hpp"

#include <fmt/format.h>

#include "image/png_reader.hpp"
#include "image/sniff.hpp"
#include "image/webp_reader.hpp"
#include "jpeg/header.hpp"

namespace stoker {

namespace image {

namespace {

constexpr std::string_view kReadable = "JPEG, PNG, WebP";

Result<ImageInfo> read_jpeg_info(std::span<const std::byte> bytes) {
  const Result<jpeg::Header> header = jpeg::read_header(bytes);
  if (!header) return tl::unexpected(header.error());
  return ImageInfo{.kind = ImageKind::jpeg,
                   .process = std::string(jpeg::to_string(header->process)),
                   .width = header->width,
                   .height = header->height,
                   .components = static_cast<int>(header->components.size()),
                   .sampling = jpeg::sampling_text(*header),
                   .restart_interval = header->restart_interval,
                   .orientation = header->orientation};
}

}  // namespace

Error not_readable(std::span<const std::byte> bytes, ImageKind kind) {
  if (kind != ImageKind::unknown) {
    return Error(ErrorCode::unsupported, {.operation = "read image",
                                          .found = fmt::format("a {} file", to_string(kind)),
                                          .allowed = std::string(kReadable),
                                          .next_step = "convert it first"});
  }
  return Error(ErrorCode::corrupt_data,
               {.operation = "read image", .found = describe(bytes), .allowed = std::string(kReadable)});
}

Result<ImageInfo> read_info(std::span<const std::byte> bytes) {
  const ImageKind kind = sniff(bytes);
  switch (kind) {
    case ImageKind::jpeg:
      return read_jpeg_info(bytes);
    case ImageKind::png:
      return PngReader().info(bytes);
    case ImageKind::webp:
      return WebpReader().info(bytes);
    default:
      return tl::unexpected(not_readable(bytes, kind));
  }
}

}  // namespace image

ImageInfo read_image_info(std::span<const std::byte> bytes) {
  return value_or_throw(image::read_info(bytes));
}

}  // namespace stoker
