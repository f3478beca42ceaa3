#include "image/decode_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "image/resize.hpp"

namespace stoker::image {

namespace {

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

}  // namespace

Result<DecodePlan> make_plan(Size picture, const DecodeSpec& spec) {
  const auto refuse = [](ErrorCode code, std::string found, std::string allowed) {
    return fail(code, {.operation = "decode", .found = std::move(found), .allowed = std::move(allowed)});
  };
  DecodePlan plan;
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
  if (plan.is_empty()) return plan;
  plan.source =
      plan.resizes ? needed_source(size_of(plan.crop), plan.target, plan.visible, spec.filter) : plan.visible;
  plan.source.x += plan.crop.x;
  plan.source.y += plan.crop.y;
  return plan;
}

}  // namespace stoker::image
