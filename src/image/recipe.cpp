#include "stoker/recipe.hpp"

#include "image/recipe_steps.hpp"

namespace stoker {

std::string_view to_string(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return "u8";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::f32:
      return "f32";
  }
  return "unknown";
}

std::size_t bytes_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return 1;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::f32:
      return 4;
  }
  return 0;
}

std::string_view to_string(Layout layout) { return layout == Layout::nchw ? "nchw" : "nhwc"; }

std::string_view to_string(Filter filter) { return filter == Filter::bilinear ? "bilinear" : "bicubic"; }
std::string_view to_string(PixelMode mode) { return mode == PixelMode::exact ? "exact" : "fast"; }

Recipe Recipe::parse(std::string_view text) { return Recipe(image::read_steps(text)); }

// The list always ends with a tensor step, so that equal recipes have equal lists.
Recipe::Recipe(std::vector<Step> steps) : steps_(std::move(steps)) {
  output_size_ = image::check_steps(steps_);
  if (!std::holds_alternative<TensorStep>(steps_.back())) steps_.emplace_back(image::default_tensor(steps_));
  tensor_ = std::get<TensorStep>(steps_.back());
}

std::string Recipe::to_string() const {
  std::string text;
  for (const Step& step : steps_) {
    const auto* tensor = std::get_if<TensorStep>(&step);
    if (tensor && *tensor == image::default_tensor(steps_)) continue;
    if (!text.empty()) text += ' ';
    text += image::write_step(step);
  }
  return text;
}

std::vector<std::size_t> Recipe::shape() const {
  if (is_array()) return std::get<ArrayStep>(steps_.front()).shape;
  const auto width = static_cast<std::size_t>(output_size_.width);
  const auto height = static_cast<std::size_t>(output_size_.height);
  if (tensor_.layout == Layout::nchw) return {3, height, width};
  return {height, width, 3};
}

std::size_t Recipe::bytes_per_sample() const {
  std::size_t bytes = bytes_of(tensor_.dtype);
  for (const std::size_t length : shape()) bytes *= length;
  return bytes;
}

}  // namespace stoker
