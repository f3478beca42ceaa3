#include "image/decoder.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "base/pixel_buffer.hpp"
#include "image/info.hpp"
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

std::string text_of(const Rect& rect) {
  return fmt::format("{} x {} pixels at ({}, {})", rect.width, rect.height, rect.x, rect.y);
}
std::string text_of(Size size) { return fmt::format("{} x {} pixels", size.width, size.height); }

Size size_of(const Rect& rect) { return {rect.width, rect.height}; }

bool is_inside(const Rect& rect, Size size) {
  return rect.x >= 0 && rect.y >= 0 && rect.width > 0 && rect.height > 0 &&
         rect.x <= size.width - rect.width && rect.y <= size.height - rect.height;
}

// What of `window` lies inside a picture of `size`; empty (no width or no height) if nothing does.
Rect visible_part(const Rect& window, Size size) {
  const std::int64_t right = std::min<std::int64_t>(std::int64_t{window.x} + window.width, size.width);
  const std::int64_t bottom = std::min<std::int64_t>(std::int64_t{window.y} + window.height, size.height);
  const int x = std::max(0, window.x), y = std::max(0, window.y);
  return {x, y, static_cast<int>(std::max<std::int64_t>(0, right - x)),
          static_cast<int>(std::max<std::int64_t>(0, bottom - y))};
}

// A DecodeSpec made definite for one picture.
struct Plan {
  Rect crop;    // of the picture
  Size target;  // of the crop after its resize
  bool resizes = false;
  Rect window;   // of the target: what comes out
  Rect visible;  // the window's part inside the target; may be empty
  Rect source;   // of the picture: what must be decoded for it
};

Result<Plan> make_plan(Size picture, const DecodeSpec& spec) {
  const auto refuse = [](ErrorCode code, std::string found, std::string allowed) {
    return fail(code, {.operation = "decode", .found = std::move(found), .allowed = std::move(allowed)});
  };
  Plan plan;
  plan.crop = spec.crop.value_or(Rect{0, 0, picture.width, picture.height});
  if (!is_inside(plan.crop, picture)) {
    return refuse(ErrorCode::invalid_argument, "a crop of " + text_of(plan.crop),
                  "inside " + text_of(picture));
  }
  plan.target = spec.resize.value_or(size_of(plan.crop));
  plan.resizes = plan.target != size_of(plan.crop);
  plan.window = spec.window.value_or(Rect{0, 0, plan.target.width, plan.target.height});
  if (plan.target.width < 1 || plan.target.height < 1 || plan.window.width < 1 || plan.window.height < 1) {
    return refuse(ErrorCode::invalid_argument,
                  fmt::format("a resize to {}, a window of {}", text_of(plan.target), text_of(plan.window)),
                  "1 pixel or more a side");
  }
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(plan.window.width) * static_cast<std::uint64_t>(plan.window.height);
  if (pixels > spec.max_pixels) {
    return refuse(ErrorCode::out_of_resources, "a result of " + text_of(size_of(plan.window)),
                  fmt::format("{} pixels", spec.max_pixels));
  }
  plan.visible = visible_part(plan.window, plan.target);
  if (plan.visible.width == 0 || plan.visible.height == 0) return plan;
  plan.source =
      plan.resizes ? needed_source(size_of(plan.crop), plan.target, plan.visible, spec.filter) : plan.visible;
  plan.source.x += plan.crop.x;
  plan.source.y += plan.crop.y;
  return plan;
}

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
  // `prepare` is called once the reader is open.
  template <class Reader, class Prepare>
  Result<Decoded> decode_with(Reader& reader, std::span<const std::byte> bytes, const DecodeSpec& spec,
                              const Prepare& prepare);
  Result<Decoded> decode_jpeg(std::span<const std::byte> bytes, const DecodeSpec& spec, Learn learn);
  // Memory for a decoded picture.
  Result<MutableRgbView> reserve_pixels(Size size);
  template <class Reader>
  Result<RgbView> read_source(Reader& reader, const Rect& source);
  Result<RgbView> write_window(const Plan& plan, const RgbView& source, Filter filter);

  jpeg::JpegReader jpeg_;
  jpeg::TurboDecoder scaled_jpeg_;
  PngReader png_;
  WebpReader webp_;
  Resizer resizer_;
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

// The window, from the pixels of plan.source.
Result<RgbView> Decoder::Impl::write_window(const Plan& plan, const RgbView& source, Filter filter) {
  const bool whole = plan.visible == plan.window;
  if (!plan.resizes && whole) return source;
  const std::size_t stride = 3 * static_cast<std::size_t>(plan.window.width);
  const std::size_t bytes = stride * static_cast<std::size_t>(plan.window.height);
  const auto memory = output_.reserve(bytes);
  if (!memory) return tl::unexpected(memory.error());
  if (!whole) std::memset(*memory, 0, bytes);
  if (source.data) {
    std::uint8_t* first = *memory + static_cast<std::size_t>(plan.visible.y - plan.window.y) * stride +
                          3 * static_cast<std::size_t>(plan.visible.x - plan.window.x);
    if (plan.resizes) {
      Rect source_in_crop = plan.source;
      source_in_crop.x -= plan.crop.x;
      source_in_crop.y -= plan.crop.y;
      resizer_.resize(source, source_in_crop, size_of(plan.crop), plan.target, plan.visible, filter,
                      {first, plan.visible.width, plan.visible.height, stride});
    } else {
      for (int y = 0; y < source.height; ++y) {
        std::memcpy(first + static_cast<std::size_t>(y) * stride,
                    source.data + static_cast<std::size_t>(y) * source.stride,
                    3 * static_cast<std::size_t>(source.width));
      }
    }
  }
  return RgbView{*memory, plan.window.width, plan.window.height, stride};
}

template <class Reader, class Prepare>
Result<Decoded> Decoder::Impl::decode_with(Reader& reader, std::span<const std::byte> bytes,
                                           const DecodeSpec& spec, const Prepare& prepare) {
  const Clock::time_point begun = Clock::now();
  const Result<Size> picture = reader.open(bytes, spec.max_pixels);
  if (!picture) return tl::unexpected(picture.error());
  prepare();
  const Result<Plan> plan = make_plan(*picture, spec);
  if (!plan) return tl::unexpected(plan.error());
  RgbView source;
  if (plan->source.width > 0) {
    const Result<RgbView> read = read_source(reader, plan->source);
    if (!read) return tl::unexpected(read.error());
    source = *read;
  }
  const Clock::time_point decoded = Clock::now();
  const Result<RgbView> window = write_window(*plan, source, spec.filter);
  if (!window) return tl::unexpected(window.error());
  return Decoded{*window, reader.warning(), decoded - begun, Clock::now() - decoded};
}

Result<Decoded> Decoder::Impl::decode_jpeg(std::span<const std::byte> bytes, const DecodeSpec& spec,
                                           Learn learn) {
  bool has_points = false, unreadable = false, learns = learn != Learn::nothing;
  auto decoded = decode_with(jpeg_, bytes, spec, [&] {
    if (!spec.seek_points.empty()) {
      has_points = jpeg::unpack_seek_points(spec.seek_points, points_).has_value();
      unreadable = !has_points;
    }
    if (has_points) jpeg_.enter_by(&points_);
    learns = learns && !(has_points && points_.complete);
    if (learns) jpeg_.learn(&new_points_, learn == Learn::whole_file);
  });
  if (!decoded) return decoded;
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
  const auto nothing = [] {};
  const ImageKind kind = sniff(bytes);
  switch (kind) {
    case ImageKind::jpeg:
      return decode_jpeg(bytes, spec, learn);
    case ImageKind::png:
      return decode_with(png_, bytes, spec, nothing);
    case ImageKind::webp:
      return decode_with(webp_, bytes, spec, nothing);
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
