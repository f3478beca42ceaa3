#include "image/geometry.hpp"

#include <algorithm>
#include <cmath>

namespace stoker::image {

namespace {

constexpr int kTries = 10;

// Python's round(): halves go to the even neighbour (the default rounding mode).
int round_half_even(double value) { return static_cast<int>(std::nearbyint(value)); }

// Where a crop of `size` begins on an axis of `length` pixels, centred; negative where it is larger.
int centered(int length, int size) {
  return size > length ? -((size - length) / 2) : round_half_even((length - size) / 2.0);
}

int random_begin(int length, int size, int padding, SampleRng& rng) {
  const std::int64_t room = std::int64_t{length} + 2 * std::int64_t{padding} - size;
  if (room < 0) return centered(length, size);
  return static_cast<int>(rng.below(static_cast<std::uint64_t>(room) + 1)) - padding;
}

Rect fallback_rect(Size picture, const RandomResizedCrop& step) {
  const double ratio = static_cast<double>(picture.width) / picture.height;
  Size size = picture;
  if (ratio < step.ratio_min) {
    size.height = std::clamp(round_half_even(picture.width / step.ratio_min), 1, picture.height);
  } else if (ratio > step.ratio_max) {
    size.width = std::clamp(round_half_even(picture.height * step.ratio_max), 1, picture.width);
  }
  return {(picture.width - size.width) / 2, (picture.height - size.height) / 2, size.width, size.height};
}

// The common part, empty (width or height <= 0) where there is none.
Rect common_part(const Rect& a, const Rect& b) {
  const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.x + a.width, b.x + b.width) - x, std::min(a.y + a.height, b.y + b.height) - y};
}

}  // namespace

Rect random_resized_crop_rect(Size picture, const RandomResizedCrop& step, SampleRng& rng) {
  const double area = static_cast<double>(picture.width) * picture.height;
  const double log_min = std::log(step.ratio_min), log_max = std::log(step.ratio_max);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double target_area = area * rng.uniform(step.scale_min, step.scale_max);
    const double ratio = std::exp(rng.uniform(log_min, log_max));
    const double width = std::nearbyint(std::sqrt(target_area * ratio));
    const double height = std::nearbyint(std::sqrt(target_area / ratio));
    if (!(width > 0 && width <= picture.width && height > 0 && height <= picture.height)) continue;
    const Size size{static_cast<int>(width), static_cast<int>(height)};
    const int y = random_begin(picture.height, size.height, 0, rng);
    const int x = random_begin(picture.width, size.width, 0, rng);
    return {x, y, size.width, size.height};
  }
  return fallback_rect(picture, step);
}

Rect center_crop_rect(Size picture, Size size) {
  return {centered(picture.width, size.width), centered(picture.height, size.height), size.width,
          size.height};
}

Rect random_crop_rect(Size picture, const RandomCrop& step, SampleRng& rng) {
  const int y = random_begin(picture.height, step.size.height, step.padding, rng);
  const int x = random_begin(picture.width, step.size.width, step.padding, rng);
  return {x, y, step.size.width, step.size.height};
}

Size resized_size(Size picture, const ResizeStep& step) {
  if (step.short_side == 0) return step.size;
  const int short_side = std::min(picture.width, picture.height);
  const int long_side = std::max(picture.width, picture.height);
  const std::int64_t scaled = std::int64_t{step.short_side} * long_side / short_side;
  const int other = static_cast<int>(std::min<std::int64_t>(scaled, kMaxResizedSide));
  return picture.width <= picture.height ? Size{step.short_side, other} : Size{other, step.short_side};
}

namespace {

// The steps met so far, as a crop of the stored picture, a resize of that, and a window of what came out.
// Rectangles are kept as if there were no flip: one that follows the flip is mirrored instead.
class Folding {
 public:
  explicit Folding(Size picture)
      : crop_{0, 0, picture.width, picture.height}, view_(crop_), whole_(picture) {}

  Size size() const { return {view_.width, view_.height}; }

  void cut(Rect rect) {
    if (flipped_) rect.x = view_.width - rect.x - rect.width;
    valid_ = common_part(valid_, view_);
    view_ = {view_.x + rect.x, view_.y + rect.y, rect.width, rect.height};
  }
  void resize(Size to, Filter filter) {
    crop_ = common_part(view_, crop_);
    resize_ = to;
    filter_ = filter;
    whole_ = to;
    valid_ = view_ = {0, 0, to.width, to.height};
  }
  // Takes only what is there: for crops in front of a resize.
  void cut_without_padding(Rect rect) {
    cut(rect);
    view_ = common_part(view_, valid_);
  }
  void flip() { flipped_ = !flipped_; }

  Geometry finish() const {
    Geometry geometry{.flip = flipped_};
    const Rect all{0, 0, whole_.width, whole_.height};
    if (resize_) {
      if (crop_ != picture_) geometry.spec.crop = crop_;
      geometry.spec.resize = resize_;
      geometry.spec.filter = filter_;
      if (view_ != all) geometry.spec.window = view_;
      Rect visible = common_part(view_, valid_);
      if (visible != common_part(view_, all)) {
        visible.x -= view_.x;
        visible.y -= view_.y;
        geometry.visible = visible;
      }
      return geometry;
    }
    Rect inside = common_part(view_, valid_);
    if (inside.width <= 0 || inside.height <= 0)
      inside = {0, 0, 1, 1};  // nothing of the picture shows: all zeros
    if (inside != picture_) geometry.spec.crop = inside;
    const Rect window{view_.x - inside.x, view_.y - inside.y, view_.width, view_.height};
    if (window != Rect{0, 0, inside.width, inside.height}) geometry.spec.window = window;
    return geometry;
  }

 private:
  Rect crop_;
  Rect view_;           // in the resized crop, or in the picture where nothing was resized yet
  Size whole_;          // of what view_ lies in
  Rect valid_ = crop_;  // what no crop has cut off yet; in view_ around it there is padding
  Rect picture_ = crop_;
  std::optional<Size> resize_;
  Filter filter_ = Filter::bilinear;
  bool flipped_ = false;
};

// Applies one step, its draws from `rng`.
struct ApplyStep {
  Folding& folding;
  SampleRng& rng;
  bool before_resize;

  void crop(const Rect& rect) const {
    if (before_resize) {
      folding.cut_without_padding(rect);
    } else {
      folding.cut(rect);
    }
  }
  void operator()(const RandomResizedCrop& step) const {
    folding.cut(random_resized_crop_rect(folding.size(), step, rng));
    folding.resize(step.size, step.filter);
  }
  void operator()(const ResizeStep& step) const {
    folding.resize(resized_size(folding.size(), step), step.filter);
  }
  void operator()(const CenterCrop& step) const { crop(center_crop_rect(folding.size(), step.size)); }
  void operator()(const RandomCrop& step) const { crop(random_crop_rect(folding.size(), step, rng)); }
  void operator()(const Flip& step) const {
    if (rng.uniform() < step.probability) folding.flip();
  }
  void operator()(const Normalize&) const {}
  void operator()(const ArrayStep&) const {}
  void operator()(const TensorStep&) const {}
};

}  // namespace

Geometry fold_geometry(const std::vector<Step>& steps, Size picture, const SampleCoordinates& sample) {
  Folding folding(picture);
  std::size_t resize_at = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::holds_alternative<ResizeStep>(steps[i]) || std::holds_alternative<RandomResizedCrop>(steps[i])) {
      resize_at = i;
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SampleRng rng(sample.seed, sample.epoch, sample.index, static_cast<std::uint32_t>(i));
    std::visit(ApplyStep{folding, rng, i < resize_at}, steps[i]);
  }
  return folding.finish();
}

}  // namespace stoker::image
