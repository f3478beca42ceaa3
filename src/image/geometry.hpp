// The rectangles of a recipe's geometric steps: pure functions of sizes and draws, by torchvision's formulas.
#pragma once

#include <optional>
#include <vector>

#include "stoker/recipe.hpp"

#include "base/philox.hpp"

namespace stoker::image {

// The rectangle that is cut out and then resized to step.size.
// Source: torchvision.transforms.v2 RandomResizedCrop: up to 10 tries, then the centred largest part of an
// allowed ratio; rounding to even. The random stream is ours; the distribution is theirs.
Rect random_resized_crop_rect(Size picture, const RandomResizedCrop& step, SampleRng& rng);

// May reach beyond the picture, which is then padded with zeros, where the picture is smaller than `size`.
// Source: torchvision.transforms.v2 CenterCrop.
Rect center_crop_rect(Size picture, Size size);

// Anywhere in the picture with `padding` on every side. Where that is still smaller than `size`, as
// center_crop_rect.
Rect random_crop_rect(Size picture, const RandomCrop& step, SampleRng& rng);

// The size that resize(…) gives: the short side exact, the long one truncated.
// It saturates at kMaxResizedSide, which is for callers to refuse.
// Source: torchvision.transforms.functional._compute_resized_output_size.
inline constexpr int kMaxResizedSide = 1 << 29;
Size resized_size(Size picture, const ResizeStep& step);

// What a recipe's geometry comes to for one image, its random choices made.
struct Geometry {
  DecodeSpec spec;  // crop, resize, window
  bool flip = false;
  // The part of the result, in front of the flip, outside of which it is zero whatever the spec gives there:
  // what a crop behind the resize has cut off, and a larger one behind it pads. Empty: no more than the spec
  // says.
  std::optional<Rect> visible;
};

// Names a sample's draws: with the same three values the same choices are made.
struct SampleCoordinates {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t index = 0;
};

// Folds the geometric steps to one crop, one resize, one window of the result, and a flip at the very end.
// Step number n of the list draws from SampleRng(seed, epoch, index, n), whatever the others draw.
// A crop in front of the resize takes what the picture has and pads nothing; what it lacks there is never
// made up.
Geometry fold_geometry(const std::vector<Step>& steps, Size picture, const SampleCoordinates& sample);

}  // namespace stoker::image
