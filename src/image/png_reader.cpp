#include "image/png_reader.hpp"

#include <cstring>
#include <fmt/format.h>
#include <spng.h>

#include "jpeg/exif.hpp"

namespace stoker::image {

namespace {

constexpr std::string_view kOperation = "decode PNG";

// Deflate's best is 258 bytes for two bits. Source: RFC 1951 section 3.2.5.
constexpr std::uint64_t kMaxDeflateRatio = 1032;
// Of one ancillary chunk, and of all that are kept: what pictures do not need is not worth more.
constexpr std::size_t kMaxChunkBytes = 64 << 20;
constexpr std::size_t kMaxKeptBytes = 64 << 20;

struct ContextDeleter {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, ContextDeleter>;

tl::unexpected<Error> png_error(int code) {
  const ErrorCode kind = code == SPNG_EMEM ? ErrorCode::out_of_resources : ErrorCode::corrupt_data;
  return fail(kind, {.operation = std::string(kOperation), .found = spng_strerror(code)});
}

// Bytes of the rows before compression, filter bytes and interlacing apart.
std::uint64_t raw_bytes(const spng_ihdr& header) {
  static constexpr int kChannels[] = {1, 0, 3, 1, 2, 0, 4};
  const std::uint64_t bits = static_cast<std::uint64_t>(kChannels[header.color_type]) * header.bit_depth;
  return (std::uint64_t{header.width} * bits + 7) / 8 * header.height;
}

int components_of(int color_type) {
  switch (color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
    case SPNG_COLOR_TYPE_INDEXED:
      return 1;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return 2;
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return 3;
    default:
      return 4;
  }
}

}  // namespace

class PngReader::Impl {
 public:
  Result<ImageInfo> info(std::span<const std::byte> bytes);
  Result<Size> open(std::span<const std::byte> bytes, std::uint64_t max_pixels);
  Result<Rect> begin(const Rect& wanted);
  Result<void> read(std::uint8_t* rgb, std::size_t stride);

 private:
  Result<void> read_header(std::span<const std::byte> bytes);
  Result<void> read_interlaced(std::uint8_t* rgb, std::size_t stride);

  Context context_;
  spng_ihdr header_{};
  Rect covered_;
  PixelBuffer pixels_;
};

Result<void> PngReader::Impl::read_header(std::span<const std::byte> bytes) {
  context_.reset(spng_ctx_new(0));
  if (!context_) return png_error(SPNG_EMEM);
  int code = spng_set_chunk_limits(context_.get(), kMaxChunkBytes, kMaxKeptBytes);
  if (code == 0) code = spng_set_png_buffer(context_.get(), bytes.data(), bytes.size());
  if (code == 0) code = spng_get_ihdr(context_.get(), &header_);
  if (code != 0) return png_error(code);
  return {};
}

Result<ImageInfo> PngReader::Impl::info(std::span<const std::byte> bytes) {
  if (auto read = read_header(bytes); !read) return tl::unexpected(std::move(read).error());
  ImageInfo info{.kind = ImageKind::png,
                 .width = static_cast<int>(header_.width),
                 .height = static_cast<int>(header_.height),
                 .components = components_of(header_.color_type)};
  spng_exif exif{};
  if (spng_get_exif(context_.get(), &exif) == 0) {
    info.orientation = jpeg::exif_orientation(std::as_bytes(std::span(exif.data, exif.length)));
  }
  context_.reset();
  return info;
}

Result<Size> PngReader::Impl::open(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  if (auto read = read_header(bytes); !read) return tl::unexpected(std::move(read).error());
  const std::string size = fmt::format("{} x {} pixels", header_.width, header_.height);
  if (std::uint64_t{header_.width} * header_.height > max_pixels) {
    return fail(ErrorCode::out_of_resources, {.operation = std::string(kOperation),
                                              .found = size,
                                              .allowed = fmt::format("{} pixels", max_pixels),
                                              .next_step = "raise max_pixels if the file is to be trusted"});
  }
  if (raw_bytes(header_) > kMaxDeflateRatio * bytes.size()) {
    return fail(ErrorCode::corrupt_data, {.operation = std::string(kOperation),
                                          .found = fmt::format("{} bytes that claim {}", bytes.size(), size),
                                          .allowed = fmt::format("{} bytes or more for that size",
                                                                 raw_bytes(header_) / kMaxDeflateRatio)});
  }
  return Size{static_cast<int>(header_.width), static_cast<int>(header_.height)};
}

Result<Rect> PngReader::Impl::begin(const Rect& wanted) {
  const int width = static_cast<int>(header_.width);
  // Rows of an interlaced file come out of order, so it is written whole.
  covered_ = Rect{0, wanted.y, width, wanted.height};
  return covered_;
}

Result<void> PngReader::Impl::read(std::uint8_t* rgb, std::size_t stride) {
  if (header_.interlace_method != 0) return read_interlaced(rgb, stride);
  int code = spng_decode_image(context_.get(), nullptr, 0, SPNG_FMT_RGB8, SPNG_DECODE_PROGRESSIVE);
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(covered_.width);
  for (int y = 0; code == 0 && y < covered_.y + covered_.height; ++y) {
    // Rows above the wanted ones are written where the first wanted one comes to lie.
    const int row = std::max(0, y - covered_.y);
    code = spng_decode_row(context_.get(), rgb + static_cast<std::size_t>(row) * stride, row_bytes);
    if (code == SPNG_EOI && y + 1 == static_cast<int>(header_.height)) code = 0;
  }
  context_.reset();
  if (code != 0) return png_error(code);
  return {};
}

Result<void> PngReader::Impl::read_interlaced(std::uint8_t* rgb, std::size_t stride) {
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(header_.width);
  const std::size_t bytes = row_bytes * header_.height;
  auto pixels = pixels_.reserve(bytes);
  if (!pixels) return tl::unexpected(std::move(pixels).error());
  const int code = spng_decode_image(context_.get(), *pixels, bytes, SPNG_FMT_RGB8, 0);
  context_.reset();
  if (code != 0) return png_error(code);
  for (int y = 0; y < covered_.height; ++y) {
    std::memcpy(rgb + static_cast<std::size_t>(y) * stride,
                *pixels + static_cast<std::size_t>(covered_.y + y) * row_bytes, row_bytes);
  }
  return {};
}

PngReader::PngReader() : impl_(std::make_unique<Impl>()) {}
PngReader::~PngReader() = default;
PngReader::PngReader(PngReader&&) noexcept = default;
PngReader& PngReader::operator=(PngReader&&) noexcept = default;

Result<ImageInfo> PngReader::info(std::span<const std::byte> bytes) { return impl_->info(bytes); }
Result<Size> PngReader::open(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  return impl_->open(bytes, max_pixels);
}
Result<Rect> PngReader::begin(const Rect& wanted) { return impl_->begin(wanted); }
Result<void> PngReader::read(std::uint8_t* rgb, std::size_t stride) { return impl_->read(rgb, stride); }

}  // namespace stoker::image
