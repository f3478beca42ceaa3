#include "image/transform.hpp"

#include <fmt/format.h>
#include <optional>

namespace stoker::image {

namespace {

std::optional<Normalize> normalize_of(const Recipe& recipe) {
  for (const Step& step : recipe.steps()) {
    if (const auto* normalize = std::get_if<Normalize>(&step)) return *normalize;
  }
  return std::nullopt;
}

}  // namespace

Transform::Transform(Recipe recipe)
    : recipe_(std::move(recipe)), table_(recipe_.dtype(), normalize_of(recipe_)) {}

Geometry Transform::geometry(Size image, const SampleCoordinates& sample) const {
  return fold_geometry(recipe_.steps(), image, sample);
}

Result<TransformOutcome> Transform::run(Decoder& decoder, std::span<const std::byte> bytes,
                                        const SampleCoordinates& sample, std::uint64_t max_pixels,
                                        std::byte* out) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  const Result<ImageInfo> info = decoder.info(bytes);
  if (!info) return tl::unexpected(info.error());
  Geometry plan = geometry({info->width, info->height}, sample);
  plan.spec.max_pixels = max_pixels;
  if (plan.spec.resize &&
      (plan.spec.resize->width >= kMaxResizedSide || plan.spec.resize->height >= kMaxResizedSide)) {
    return fail(ErrorCode::unsupported,
                {.operation = "resize",
                 .found = fmt::format("a picture of {}x{}, whose long side would grow beyond all sizes",
                                      info->width, info->height)});
  }
  const Clock::time_point planned = Clock::now();
  const Result<Decoded> decoded = decoder.decode(bytes, plan.spec);
  if (!decoded) return tl::unexpected(decoded.error());
  const Size size = recipe_.output_size();
  if (decoded->pixels.width != size.width || decoded->pixels.height != size.height) {
    return fail(ErrorCode::internal,
                {.operation = "transform",
                 .found = fmt::format("{}x{} pixels", decoded->pixels.width, decoded->pixels.height),
                 .allowed = fmt::format("{}x{}", size.width, size.height)});
  }
  const Clock::time_point resized = Clock::now();
  convert(decoded->pixels, plan.flip, table_, recipe_.layout(), out);
  return TransformOutcome{decoded->warning, decoded->decode_time + (planned - begun),
                          decoded->resize_time + (Clock::now() - resized)};
}

}  // namespace stoker::image
