#include "image/decoder.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "base/pixel_buffer.hpp"
#include "image/decode_plan.hpp"
#include "image/info.hpp"
#include "image/planar_resize.hpp"
#include "image/png_reader.hpp"
#include "image/sniff.hpp"
#include "image/webp_reader.hpp"
#include "jpeg/jpeg_reader.hpp"
#include "jpeg/seek_points.hpp"
#include "jpeg/turbo_decoder.hpp"

namespace stoker::image {

namespace {

using Clock = std::chrono::steady_clock;

// libjpeg-turbo writes rows that begin on a 32-byte boundary past the caches, where the resize behind it
// would miss them; so no row begins on one. Source: jdcolext-avx2.asm; measured: decode and one pass over the
// pixels take 6 to 14 % less.
constexpr std::size_t kStoreUnit = 32, kRowOffset = 16;

Size size_of(const Rect& rect) { return {rect.width, rect.height}; }

// `rect` of a picture of which `view` holds `held`.
RgbView part_of(const RgbView& view, const Rect& held, const Rect& rect) {
  return {view.data + static_cast<std::size_t>(rect.y - held.y) * view.stride +
              3 * static_cast<std::size_t>(rect.x - held.x),
          rect.width, rect.height, view.stride};
}

}  // namespace

class Decoder::Impl {
 public:
  Result<Decoded> decode(std::span<const std::byte> bytes, const DecodeSpec& spec, Learn learn);
  std::span<const std::byte> learned() const { return learned_; }
  Result<Decoded> decode_scaled(std::span<const std::byte> bytes, Size at_least, std::uint64_t max_pixels);

 private:
  template <class Reader>
  Result<Decoded> decode_with(Reader& reader, std::span<const std::byte> bytes, const DecodeSpec& spec);
  // From the open reader on.
  template <class Reader>
  Result<Decoded> decode_exactly(Reader& reader, const DecodePlan& plan, Filter filter);
  // PixelMode::fast; nothing: this picture is to be decoded exactly.
  Result<std::optional<Decoded>> decode_planes(const DecodePlan& plan, Filter filter);
  Result<Decoded> decode_jpeg(std::span<const std::byte> bytes, const DecodeSpec& spec, Learn learn);
  // Memory for a decoded picture.
  Result<MutableRgbView> reserve_pixels(Size size);
  template <class Reader>
  Result<RgbView> read_source(Reader& reader, const Rect& source);
  Result<RgbView> write_window(const DecodePlan& plan, const RgbView& source, Filter filter);
  // Memory for a window, zero where nothing is visible: all of it, and its visible part.
  struct Canvas {
    RgbView window;
    MutableRgbView visible;
  };
  Result<Canvas> make_canvas(const DecodePlan& plan);

  jpeg::JpegReader jpeg_;
  jpeg::TurboDecoder scaled_jpeg_;
  PngReader png_;
  WebpReader webp_;
  Resizer resizer_;
  PlanarResizer planar_;
  PixelBuffer pixels_;  // as decoded
  PixelBuffer output_;  // resized, or laid on zeros
  jpeg::SeekPoints points_, new_points_;
  std::vector<std::byte> learned_;
};

Result<MutableRgbView> Decoder::Impl::reserve_pixels(Size size) {
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(size.width);
  const std::size_t stride = (row_bytes + kStoreUnit - 1) / kStoreUnit * kStoreUnit;
  const auto memory = pixels_.reserve(stride * static_cast<std::size_t>(size.height) + 2 * kStoreUnit);
  if (!memory) return tl::unexpected(memory.error());
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(*memory) % kStoreUnit;
  const std::size_t offset = (kStoreUnit + kRowOffset - misaligned) % kStoreUnit;
  return MutableRgbView{*memory + offset, size.width, size.height, stride};
}

// The pixels of `source`; the memory behind the view may hold more around them.
template <class Reader>
Result<RgbView> Decoder::Impl::read_source(Reader& reader, const Rect& source) {
  const Result<Rect> held = reader.begin(source);
  if (!held) return tl::unexpected(held.error());
  const auto memory = reserve_pixels({held->width, held->height});
  if (!memory) return tl::unexpected(memory.error());
  if (auto read = reader.read(memory->data, memory->stride); !read)
    return tl::unexpected(std::move(read).error());
  return part_of({memory->data, held->width, held->height, memory->stride}, *held, source);
}

Result<Decoder::Impl::Canvas> Decoder::Impl::make_canvas(const DecodePlan& plan) {
  const std::size_t stride = 3 * static_cast<std::size_t>(plan.window.width);
  const std::size_t bytes = stride * static_cast<std::size_t>(plan.window.height);
  const auto memory = output_.reserve(bytes);
  if (!memory) return tl::unexpected(memory.error());
  if (plan.visible != plan.window) std::memset(*memory, 0, bytes);
  Canvas canvas{{*memory, plan.window.width, plan.window.height, stride}, {}};
  if (plan.is_empty()) return canvas;
  std::uint8_t* const first = *memory + static_cast<std::size_t>(plan.visible.y - plan.window.y) * stride +
                              3 * static_cast<std::size_t>(plan.visible.x - plan.window.x);
  canvas.visible = {first, plan.visible.width, plan.visible.height, stride};
  return canvas;
}

// The window, from the pixels of plan.source.
Result<RgbView> Decoder::Impl::write_window(const DecodePlan& plan, const RgbView& source, Filter filter) {
  if (!plan.resizes && plan.visible == plan.window) return source;
  const auto canvas = make_canvas(plan);
  if (!canvas) return tl::unexpected(canvas.error());
  if (source.data == nullptr) return canvas->window;
  if (plan.resizes) {
    Rect source_in_crop = plan.source;
    source_in_crop.x -= plan.crop.x;
    source_in_crop.y -= plan.crop.y;
    resizer_.resize(source, source_in_crop, size_of(plan.crop), plan.target, plan.visible, filter,
                    canvas->visible);
    return canvas->window;
  }
  for (int y = 0; y < source.height; ++y) {
    std::memcpy(canvas->visible.data + static_cast<std::size_t>(y) * canvas->visible.stride,
                source.data + static_cast<std::size_t>(y) * source.stride,
                3 * static_cast<std::size_t>(source.width));
  }
  return canvas->window;
}

template <class Reader>
Result<Decoded> Decoder::Impl::decode_exactly(Reader& reader, const DecodePlan& plan, Filter filter) {
  const Clock::time_point begun = Clock::now();
  RgbView source;
  if (!plan.is_empty()) {
    const Result<RgbView> read = read_source(reader, plan.source);
    if (!read) return tl::unexpected(read.error());
    source = *read;
  }
  const Clock::time_point decoded = Clock::now();
  const Result<RgbView> window = write_window(plan, source, filter);
  if (!window) return tl::unexpected(window.error());
  return Decoded{*window, reader.warning(), decoded - begun, Clock::now() - decoded};
}

template <class Reader>
Result<Decoded> Decoder::Impl::decode_with(Reader& reader, std::span<const std::byte> bytes,
                                           const DecodeSpec& spec) {
  const Clock::time_point begun = Clock::now();
  const Result<Size> picture = reader.open(bytes, spec.max_pixels);
  if (!picture) return tl::unexpected(picture.error());
  const Result<DecodePlan> plan = make_plan(*picture, spec);
  if (!plan) return tl::unexpected(plan.error());
  const auto opening = Clock::now() - begun;
  auto decoded = decode_exactly(reader, *plan, spec.filter);
  if (decoded) decoded->decode_time += opening;
  return decoded;
}

Result<std::optional<Decoded>> Decoder::Impl::decode_planes(const DecodePlan& plan, Filter filter) {
  const jpeg::BaselineFrame* const frame = jpeg_.frame();
  if (frame == nullptr || !plan.resizes || plan.is_empty()) return std::nullopt;
  const Clock::time_point begun = Clock::now();
  const auto sizes = planar_sizes(*frame, plan.crop, plan.target);
  const Rect region = planar_.prepare(*frame, sizes, plan.crop, plan.target, plan.visible, filter);
  if (region.width == 0) return std::nullopt;
  const Clock::time_point prepared = Clock::now();
  const Result<bool> has_planes = jpeg_.begin_planes(region, sizes);
  if (!has_planes) return tl::unexpected(has_planes.error());
  if (!*has_planes) return std::nullopt;
  const Clock::time_point decoded = Clock::now();
  const auto canvas = make_canvas(plan);
  if (!canvas) return tl::unexpected(canvas.error());
  planar_.write(jpeg_.planes(), canvas->visible);
  const Clock::time_point done = Clock::now();
  return Decoded{canvas->window, {}, decoded - prepared, done - decoded + (prepared - begun)};
}

Result<Decoded> Decoder::Impl::decode_jpeg(std::span<const std::byte> bytes, const DecodeSpec& spec,
                                           Learn learn) {
  const Clock::time_point begun = Clock::now();
  const Result<Size> picture = jpeg_.open(bytes, spec.max_pixels);
  if (!picture) return tl::unexpected(picture.error());
  bool has_points = !spec.seek_points.empty() && jpeg::unpack_seek_points(spec.seek_points, points_);
  const bool unreadable = !spec.seek_points.empty() && !has_points;
  if (has_points) jpeg_.enter_by(&points_);
  const bool learns = learn != Learn::nothing && !(has_points && points_.complete);
  if (learns) jpeg_.learn(&new_points_, learn == Learn::whole_file);
  const Result<DecodePlan> plan = make_plan(*picture, spec);
  if (!plan) return tl::unexpected(plan.error());
  const auto opening = Clock::now() - begun;
  Result<std::optional<Decoded>> fast = std::nullopt;
  if (spec.pixels == PixelMode::fast) fast = decode_planes(*plan, spec.filter);
  if (!fast) return tl::unexpected(fast.error());
  auto decoded = *fast ? Result<Decoded>(**fast) : decode_exactly(jpeg_, *plan, spec.filter);
  if (!decoded) return decoded;
  decoded->decode_time += opening;
  decoded->points_failed = unreadable || jpeg_.points_failed();
  if (jpeg_.reason()) {
    decoded->route = DecodeRoute::turbo;
    return decoded;
  }
  has_points = has_points && !decoded->points_failed;
  decoded->route = has_points ? DecodeRoute::seek : DecodeRoute::own;
  const std::size_t known = has_points ? points_.points.size() : 0;
  if (learns && !new_points_.empty() && new_points_.points.size() > known) {
    jpeg::pack_seek_points(new_points_, learned_);
  }
  return decoded;
}

Result<Decoded> Decoder::Impl::decode(std::span<const std::byte> bytes, const DecodeSpec& spec, Learn learn) {
  learned_.clear();
  new_points_.clear();
  const ImageKind kind = sniff(bytes);
  switch (kind) {
    case ImageKind::jpeg:
      return decode_jpeg(bytes, spec, learn);
    case ImageKind::png:
      return decode_with(png_, bytes, spec);
    case ImageKind::webp:
      return decode_with(webp_, bytes, spec);
    default:
      return tl::unexpected(not_readable(bytes, kind));
  }
}

Result<Decoded> Decoder::Impl::decode_scaled(std::span<const std::byte> bytes, Size at_least,
                                             std::uint64_t max_pixels) {
  if (sniff(bytes) != ImageKind::jpeg) return decode(bytes, {.max_pixels = max_pixels}, Learn::nothing);
  const Clock::time_point begun = Clock::now();
  const Result<Size> picture = scaled_jpeg_.open(bytes, max_pixels);
  if (!picture) return tl::unexpected(picture.error());
  int denominator = 8;
  while (denominator > 1 &&
         (picture->width / denominator < at_least.width || picture->height / denominator < at_least.height)) {
    denominator /= 2;
  }
  const Result<Size> size = scaled_jpeg_.begin_scaled(denominator);
  if (!size) return tl::unexpected(size.error());
  const auto memory = reserve_pixels(*size);
  if (!memory) return tl::unexpected(memory.error());
  if (auto read = scaled_jpeg_.read(memory->data, memory->stride); !read)
    return tl::unexpected(std::move(read).error());
  const RgbView pixels{memory->data, size->width, size->height, memory->stride};
  return Decoded{pixels, scaled_jpeg_.warning(), Clock::now() - begun, {}, DecodeRoute::turbo};
}

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Result<ImageInfo> Decoder::info(std::span<const std::byte> bytes) { return read_info(bytes); }
Result<Decoded> Decoder::decode(std::span<const std::byte> bytes, const DecodeSpec& spec, Learn learn) {
  return impl_->decode(bytes, spec, learn);
}
std::span<const std::byte> Decoder::learned() const { return impl_->learned(); }
Result<Decoded> Decoder::decode_scaled(std::span<const std::byte> bytes, Size at_least,
                                       std::uint64_t max_pixels) {
  return impl_->decode_scaled(bytes, at_least, max_pixels);
}

}  // namespace stoker::image

namespace stoker {

Image decode_image(std::span<const std::byte> bytes, const DecodeSpec& spec) {
  image::Decoder decoder;
  const image::Decoded decoded = value_or_throw(decoder.decode(bytes, spec));
  Image picture{.width = decoded.pixels.width,
                .height = decoded.pixels.height,
                .warning = std::string(decoded.warning)};
  const std::size_t row_bytes = 3 * static_cast<std::size_t>(picture.width);
  picture.rgb.reserve(row_bytes * static_cast<std::size_t>(picture.height));
  for (int y = 0; y < picture.height; ++y) {
    const std::uint8_t* row = decoded.pixels.data + static_cast<std::size_t>(y) * decoded.pixels.stride;
    picture.rgb.insert(picture.rgb.end(), row, row + row_bytes);
  }
  return picture;
}

std::vector<std::byte> make_seek_points(std::span<const std::byte> bytes, int interval) {
  jpeg::BaselineDecoder decoder;
  jpeg::SeekPoints points;
  std::vector<std::byte> packed;
  if (!decoder.open(bytes) && !decoder.has_own_entrances() && !decoder.find_seek_points(interval, points)) {
    jpeg::pack_seek_points(points, packed);
  }
  return packed;
}

}  // namespace stoker
