// The rules that a list of steps must keep, whether it came from text or from code; and the steps' canonical
// text.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stoker/error.hpp"

#include "base/units.hpp"
#include "image/recipe_steps.hpp"
#include "image/step_reader.hpp"

namespace stoker::image {

namespace {

constexpr std::string_view kOrder =
    "first crops, at most one resize and a flip, then normalize, then tensor, each of these at most once";

[[noreturn]] void refuse(const Step& step, std::string found, std::string allowed,
                         std::string next_step = {}) {
  throw Error(ErrorCode::invalid_argument, {.operation = "check recipe",
                                            .object = fmt::format("'{}'", write_step(step)),
                                            .found = std::move(found),
                                            .allowed = std::move(allowed),
                                            .next_step = std::move(next_step)});
}

void check_size(const Step& step, Size size) {
  if (size.width >= 1 && size.width <= kMaxSide && size.height >= 1 && size.height <= kMaxSide) return;
  refuse(step, fmt::format("a size of {}x{}", size.width, size.height),
         fmt::format("sides of 1..{}", kMaxSide));
}

constexpr std::size_t kMaxAxes = 8;
constexpr double kMaxNumbers = 0x1p28;

bool is_array(const Step& step) { return std::holds_alternative<ArrayStep>(step); }

bool is_resize(const Step& step) {
  return std::holds_alternative<RandomResizedCrop>(step) || std::holds_alternative<ResizeStep>(step);
}

// 0: geometry, 1: normalize, 2: tensor; they come in this order.
int stage_of(const Step& step) {
  return std::holds_alternative<Normalize>(step) ? 1 : std::holds_alternative<TensorStep>(step) ? 2 : 0;
}

// The values of one step by itself.
struct CheckValues {
  const Step& step;

  void operator()(const RandomResizedCrop& s) const {
    check_size(step, s.size);
    if (!(s.scale_min > 0 && s.scale_min <= s.scale_max && s.scale_max <= 1)) {
      refuse(step, "scale", "LOW..HIGH, above 0 and up to 1");
    }
    if (!(s.ratio_min > 0 && s.ratio_min <= s.ratio_max && std::isfinite(s.ratio_max))) {
      refuse(step, "ratio", "LOW..HIGH, above 0");
    }
  }
  void operator()(const ResizeStep& s) const {
    check_size(step, s.short_side != 0 ? Size{s.short_side, s.short_side} : s.size);
  }
  void operator()(const CenterCrop& s) const { check_size(step, s.size); }
  void operator()(const RandomCrop& s) const {
    check_size(step, s.size);
    if (s.padding < 0 || s.padding > kMaxSide) {
      refuse(step, fmt::format("padding {}", s.padding), fmt::format("0..{}", kMaxSide));
    }
  }
  void operator()(const Flip& s) const {
    if (!(s.probability >= 0 && s.probability <= 1)) refuse(step, "probability", "0..1");
  }
  void operator()(const Normalize& s) const {
    for (std::size_t c = 0; c < 3; ++c) {
      if (!std::isfinite(s.mean[c])) refuse(step, "mean", "finite numbers");
      if (!(s.std[c] > 0) || !std::isfinite(s.std[c])) refuse(step, "std", "numbers above 0");
    }
  }
  void operator()(const ArrayStep& s) const {
    if (s.shape.empty() || s.shape.size() > kMaxAxes) {
      refuse(step, fmt::format("{} axes", s.shape.size()), fmt::format("1..{}", kMaxAxes));
    }
    double numbers = 1;
    for (const std::size_t length : s.shape) numbers *= static_cast<double>(length);
    if (numbers < 1 || numbers > kMaxNumbers) {
      refuse(step, fmt::format("{:.0f} numbers", numbers), fmt::format("1..{:.0f}", kMaxNumbers));
    }
  }
  void operator()(const TensorStep&) const {}
};

// Arrays are taken as they are.
void check_array(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (&step == &steps.front()) continue;
    const auto* tensor = std::get_if<TensorStep>(&step);
    if (!tensor || steps.size() > 2) {
      refuse(step, "a step beside array", "array alone, or with tensor behind it",
             "do it while packing: stoker pack --precompute");
    }
    if (tensor->dtype == DType::u8 || tensor->dtype == DType::bf16 || tensor->layout != Layout::nchw) {
      refuse(step, "a tensor that arrays do not become", "tensor(f32), tensor(f16)");
    }
  }
}

// The steps' order, and what may be there only once.
void check_order(const std::vector<Step>& steps) {
  const Step* resize = nullptr;
  const Step* flip = nullptr;
  const Step* normalize = nullptr;
  const Step* padded = nullptr;
  int stage = 0;
  for (const Step& step : steps) {
    const int own = stage_of(step);
    if (own < stage || (own == stage && own > 0)) {
      refuse(step, own == stage ? "there already is such a step" : "too late in the list",
             std::string(kOrder));
    }
    stage = own;
    if (is_resize(step)) {
      if (resize) {
        refuse(step, fmt::format("the second step that resizes: '{}' does already", write_step(*resize)),
               "at most one (random_resized_crop resizes too)", "leave one of them out");
      }
      if (padded) {
        refuse(step, fmt::format("a resize behind the padding of '{}'", write_step(*padded)),
               "padding behind the resize", "put the resize first");
      }
      resize = &step;
    }
    if (const auto* crop = std::get_if<RandomCrop>(&step); crop && crop->padding > 0) padded = &step;
    if (std::holds_alternative<Flip>(step)) {
      if (flip) refuse(step, "the second flip", std::string(kOrder));
      flip = &step;
    }
    if (own == 1) normalize = &step;
    if (const auto* tensor = std::get_if<TensorStep>(&step);
        tensor && tensor->dtype == DType::u8 && normalize) {
      refuse(step, "whole numbers 0..255 for the fractions that normalize makes", "f16, bf16, f32",
             "leave normalize out, or take another dtype");
    }
  }
}

}  // namespace

Size check_steps(const std::vector<Step>& steps) {
  for (const Step& step : steps) std::visit(CheckValues{step}, step);
  if (!steps.empty() && is_array(steps.front())) {
    check_array(steps);
    return {};
  }
  if (const auto late = std::find_if(steps.begin(), steps.end(), is_array); late != steps.end()) {
    refuse(*late, "steps in front of it", "array alone, or with tensor behind it");
  }
  check_order(steps);
  Size size;
  const Step* open = nullptr;  // the step that left the size open
  for (const Step& step : steps) {
    if (const auto* s = std::get_if<RandomResizedCrop>(&step)) size = s->size;
    if (const auto* s = std::get_if<CenterCrop>(&step)) size = s->size;
    if (const auto* s = std::get_if<RandomCrop>(&step)) size = s->size;
    if (const auto* s = std::get_if<ResizeStep>(&step)) {
      size = s->size;
      open = s->short_side != 0 ? &step : nullptr;
    }
  }
  if (size.width > 0) return size;
  if (open) {
    const int side = std::get<ResizeStep>(*open).short_side;
    refuse(*open, "only the short side is fixed, and a batch needs pictures of one size",
           "a last geometric step that fixes both sides",
           fmt::format("add center_crop({}) behind it, or write resize({}x{})", side, side, side));
  }
  throw Error(ErrorCode::invalid_argument,
              {.operation = "check recipe",
               .found = steps.empty() ? "no steps" : "no step fixes the size of what leaves",
               .allowed = "a list of steps with a crop or a resize among them",
               .next_step = "add random_resized_crop(224), or resize(256) center_crop(224)"});
}

namespace {

std::string side_text(Size size) {
  return size.width == size.height ? fmt::format("{}", size.width)
                                   : fmt::format("{}x{}", size.width, size.height);
}

std::string filter_text(Filter filter) {
  return filter == Filter::bilinear ? "" : fmt::format(", filter={}", to_string(filter));
}

std::string range_text(std::string_view name, double low, double high) {
  return fmt::format(", {}={}..{}", name, format_number(low), format_number(high));
}

struct WriteStep {
  std::string operator()(const RandomResizedCrop& s) const {
    const RandomResizedCrop usual;
    std::string text = fmt::format("random_resized_crop({}", side_text(s.size));
    if (s.scale_min != usual.scale_min || s.scale_max != usual.scale_max) {
      text += range_text("scale", s.scale_min, s.scale_max);
    }
    if (s.ratio_min != usual.ratio_min || s.ratio_max != usual.ratio_max) {
      text += range_text("ratio", s.ratio_min, s.ratio_max);
    }
    return text + filter_text(s.filter) + ")";
  }
  std::string operator()(const ResizeStep& s) const {
    if (s.short_side != 0) return fmt::format("resize({}{})", s.short_side, filter_text(s.filter));
    return fmt::format("resize({}x{}{})", s.size.width, s.size.height, filter_text(s.filter));
  }
  std::string operator()(const CenterCrop& s) const {
    return fmt::format("center_crop({})", side_text(s.size));
  }
  std::string operator()(const RandomCrop& s) const {
    if (s.padding == 0) return fmt::format("random_crop({})", side_text(s.size));
    return fmt::format("random_crop({}, padding={})", side_text(s.size), s.padding);
  }
  std::string operator()(const Flip& s) const {
    return fmt::format("flip({})", format_number(s.probability));
  }
  std::string operator()(const Normalize& s) const {
    if (s == kImagenetStatistics) return "normalize(imagenet)";
    return fmt::format("normalize(mean={}/{}/{}, std={}/{}/{})", s.mean[0], s.mean[1], s.mean[2], s.std[0],
                       s.std[1], s.std[2]);
  }
  std::string operator()(const ArrayStep& s) const {
    return fmt::format("array({})", fmt::join(s.shape, "x"));
  }
  std::string operator()(const TensorStep& s) const {
    return fmt::format("tensor({}, {})", to_string(s.dtype), to_string(s.layout));
  }
};

}  // namespace

std::string write_step(const Step& step) { return std::visit(WriteStep{}, step); }

}  // namespace stoker::image
