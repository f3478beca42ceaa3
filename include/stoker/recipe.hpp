// The list of steps from image bytes, or an array's, to a tensor; one text form for C++, the command line and
// Python.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stoker/image.hpp"

namespace stoker {

enum class DType { u8, f16, bf16, f32 };
std::string_view to_string(DType dtype);
std::size_t bytes_of(DType dtype);

enum class Layout { nchw, nhwc };
std::string_view to_string(Layout layout);

// The steps. Geometry comes first (any crops, at most one resize among them, a flip), then normalize, then
// tensor. A crop in front of the resize takes what the picture has and pads nothing; behind it, or without
// one, it pads. Step n of the list draws its choices from (seed, epoch, sample, n), whatever the others draw.

// random_resized_crop(224, scale=0.08..1, ratio=0.75..1.3333, filter=bilinear): torchvision's distribution.
// Source: recipes.md 2: up to 10 tries of area and log-uniform ratio, else the centred largest crop of an
// allowed ratio.
struct RandomResizedCrop {
  Size size;
  double scale_min = 0.08, scale_max = 1.0;
  double ratio_min = 3.0 / 4.0, ratio_max = 4.0 / 3.0;
  Filter filter = Filter::bilinear;
  friend bool operator==(const RandomResizedCrop&, const RandomResizedCrop&) = default;
};
// resize(256): short side to 256, long side truncated, as torchvision; resize(256x192): to exactly width x
// height.
struct ResizeStep {
  int short_side = 0;  // 0: to `size`
  Size size;
  Filter filter = Filter::bilinear;
  friend bool operator==(const ResizeStep&, const ResizeStep&) = default;
};
// center_crop(224): torchvision v2's rounding; a smaller picture is padded with zeros.
struct CenterCrop {
  Size size;
  friend bool operator==(const CenterCrop&, const CenterCrop&) = default;
};
// random_crop(32, padding=4): anywhere in the picture extended by `padding` zero pixels on each side; where
// that is still smaller, it is centred and padded, as by center_crop.
struct RandomCrop {
  Size size;
  int padding = 0;
  friend bool operator==(const RandomCrop&, const RandomCrop&) = default;
};
// flip(0.5): left-right with this probability.
struct Flip {
  double probability = 0.5;
  friend bool operator==(const Flip&, const Flip&) = default;
};
// normalize(imagenet) or normalize(mean=a/b/c, std=a/b/c): (value/255 - mean) / std, in single precision and
// this order. Without it values stay 0..255, in whatever number type.
struct Normalize {
  std::array<float, 3> mean{};
  std::array<float, 3> std{};
  friend bool operator==(const Normalize&, const Normalize&) = default;
};
// array(20x129x37): the sample is a .npy file of this shape, and its numbers are the tensor's. No other step
// but tensor goes with it, which may say f32 (the default) or f16.
struct ArrayStep {
  std::vector<std::size_t> shape;
  friend bool operator==(const ArrayStep&, const ArrayStep&) = default;
};
// tensor(f32, nchw): what leaves. Default: f32 behind normalize or array, else u8; nchw.
struct TensorStep {
  DType dtype = DType::u8;
  Layout layout = Layout::nchw;
  friend bool operator==(const TensorStep&, const TensorStep&) = default;
};
using Step = std::variant<RandomResizedCrop, ResizeStep, CenterCrop, RandomCrop, Flip, Normalize, ArrayStep,
                          TensorStep>;

// A checked list of steps. Names for whole ones (both take filter=… too, and may be followed by tensor):
// imagenet_train(N): random_resized_crop(N) flip(0.5) normalize(imagenet)
// imagenet_eval(N):  resize(round(N * 256 / 224)) center_crop(N) normalize(imagenet)
class Recipe {
 public:
  // Errors: invalid_argument, naming the step or option, what is allowed and the nearest right name.
  static Recipe parse(std::string_view text);
  explicit Recipe(std::vector<Step> steps);

  // The canonical text: parse(to_string()) equals this.
  std::string to_string() const;
  const std::vector<Step>& steps() const { return steps_; }
  bool is_array() const { return std::holds_alternative<ArrayStep>(steps_.front()); }
  Size output_size() const { return output_size_; }  // of every picture: a recipe must fix it; of arrays 0x0
  // Of every sample: 3 × height × width, height × width × 3, or the array's.
  std::vector<std::size_t> shape() const;
  DType dtype() const { return tensor_.dtype; }
  Layout layout() const { return tensor_.layout; }
  std::size_t bytes_per_sample() const;

 private:
  std::vector<Step> steps_;
  Size output_size_;
  TensorStep tensor_;
};

}  // namespace stoker
