#include "image/transform.hpp"

#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace stoker::image {

namespace {

std::optional<Normalize> normalize_of(const Recipe& recipe) {
  for (const Step& step : recipe.steps()) {
    if (const auto* normalize = std::get_if<Normalize>(&step)) return *normalize;
  }
  return std::nullopt;
}

// `pixels` with zeros outside of `visible`. Owns: the thread's; valid until its next call.
RgbView masked(const RgbView& pixels, const Rect& visible) {
  thread_local std::vector<std::uint8_t> canvas;
  const std::size_t stride = static_cast<std::size_t>(pixels.width) * 3;
  canvas.assign(stride * static_cast<std::size_t>(pixels.height), 0);
  if (visible.width <= 0) return {canvas.data(), pixels.width, pixels.height, stride};
  for (int y = visible.y; y < visible.y + visible.height; ++y) {
    const std::size_t row = static_cast<std::size_t>(y), x = static_cast<std::size_t>(visible.x) * 3;
    std::memcpy(canvas.data() + row * stride + x, pixels.data + row * pixels.stride + x,
                static_cast<std::size_t>(visible.width) * 3);
  }
  return {canvas.data(), pixels.width, pixels.height, stride};
}

}  // namespace

Transform::Transform(Recipe recipe)
    : recipe_(std::move(recipe)), table_(recipe_.dtype(), normalize_of(recipe_)) {}

Geometry Transform::geometry(Size image, const SampleCoordinates& sample) const {
  return fold_geometry(recipe_.steps(), image, sample);
}

Result<TransformOutcome> Transform::run(Decoder& decoder, const TransformInput& input,
                                        const SampleCoordinates& sample, std::byte* out) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  const Result<ImageInfo> info = decoder.info(input.bytes);
  if (!info) return tl::unexpected(info.error());
  Geometry plan = geometry({info->width, info->height}, sample);
  plan.spec.max_pixels = input.max_pixels;
  plan.spec.pixels = input.pixels;
  plan.spec.seek_points = input.seek_points;
  if (plan.spec.resize &&
      (plan.spec.resize->width >= kMaxResizedSide || plan.spec.resize->height >= kMaxResizedSide)) {
    return fail(ErrorCode::unsupported,
                {.operation = "resize",
                 .found = fmt::format("a picture of {}x{}, whose long side would grow beyond all sizes",
                                      info->width, info->height)});
  }
  const Clock::time_point planned = Clock::now();
  const Result<Decoded> decoded = decoder.decode(input.bytes, plan.spec, input.learn);
  if (!decoded) return tl::unexpected(decoded.error());
  const Size size = recipe_.output_size();
  if (decoded->pixels.width != size.width || decoded->pixels.height != size.height) {
    return fail(ErrorCode::internal,
                {.operation = "transform",
                 .found = fmt::format("{}x{} pixels", decoded->pixels.width, decoded->pixels.height),
                 .allowed = fmt::format("{}x{}", size.width, size.height)});
  }
  const Clock::time_point resized = Clock::now();
  const RgbView pixels = plan.visible ? masked(decoded->pixels, *plan.visible) : decoded->pixels;
  convert(pixels, plan.flip, table_, recipe_.layout(), out);
  return TransformOutcome{.warning = decoded->warning,
                          .learned = decoder.learned(),
                          .route = decoded->route,
                          .points_failed = decoded->points_failed,
                          .decode_time = decoded->decode_time + (planned - begun),
                          .transform_time = decoded->resize_time + (Clock::now() - resized)};
}

}  // namespace stoker::image
