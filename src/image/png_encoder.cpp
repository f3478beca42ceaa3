#include <cstdint>
#include <cstdlib>
#include <memory>
#include <spng.h>
#include <vector>

#include "image/pixel_encoders.hpp"

namespace stoker::image {
namespace {

struct ContextFree {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

tl::unexpected<Error> png_failure(int code) {
  const bool memory = code == SPNG_EMEM;
  return fail(memory ? ErrorCode::out_of_resources : ErrorCode::internal,
              {.operation = "encode PNG", .found = spng_strerror(code)});
}

int write_rows(spng_ctx* context, const RgbView& pixels, bool gray) {
  const auto width = static_cast<std::size_t>(pixels.width);
  std::vector<std::uint8_t> gray_row(gray ? width : 0);
  for (int y = 0; y < pixels.height; ++y) {
    const std::uint8_t* row = pixels.data + static_cast<std::size_t>(y) * pixels.stride;
    for (std::size_t x = 0; x < gray_row.size(); ++x) gray_row[x] = row[3 * x];
    const int code = spng_encode_row(context, gray ? gray_row.data() : row, gray ? width : 3 * width);
    if (code == SPNG_EOI) return 0;  // behind the last row
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace

Result<void> encode_png(const RgbView& pixels, bool gray, std::span<const std::byte> exif,
                        std::vector<std::byte>& out) {
  const std::unique_ptr<spng_ctx, ContextFree> context(spng_ctx_new(SPNG_CTX_ENCODER));
  if (!context) return png_failure(SPNG_EMEM);
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(pixels.width);
  header.height = static_cast<std::uint32_t>(pixels.height);
  header.bit_depth = 8;
  header.color_type = gray ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR;
  if (const int code = spng_set_ihdr(context.get(), &header)) return png_failure(code);
  if (!exif.empty()) {
    // The library only reads it, though its struct says otherwise.
    auto* data = const_cast<char*>(reinterpret_cast<const char*>(exif.data()));
    spng_exif chunk{exif.size(), data};
    if (const int code = spng_set_exif(context.get(), &chunk)) return png_failure(code);
  }
  const int flags = SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE;
  if (const int code = spng_encode_image(context.get(), nullptr, 0, SPNG_FMT_PNG, flags))
    return png_failure(code);
  if (const int code = write_rows(context.get(), pixels, gray)) return png_failure(code);
  std::size_t bytes = 0;
  int code = 0;
  const std::unique_ptr<void, decltype(&std::free)> buffer(spng_get_png_buffer(context.get(), &bytes, &code),
                                                           &std::free);
  if (!buffer) return png_failure(code);
  const auto* begin = static_cast<const std::byte*>(buffer.get());
  out.assign(begin, begin + bytes);
  return {};
}

}  // namespace stoker::image
