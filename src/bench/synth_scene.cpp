#include "bench/synth_scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "stoker/error.hpp"

#include "base/philox.hpp"

namespace stoker::bench {

namespace {

// The steps of SampleRng that a scene uses; rows of noise follow from kRowSteps on.
constexpr std::uint32_t kSceneStep = 0;
constexpr std::uint32_t kTextureStep = 1;
constexpr std::uint32_t kRowSteps = 16;

using Colour = std::array<float, 3>;

float draw(SampleRng& rng, double low, double high) { return static_cast<float>(rng.uniform(low, high)); }

// A colour of the given brightness with a random tint.
Colour tinted(SampleRng& rng, float brightness) {
  constexpr double kTint = 45;
  const float red = draw(rng, -kTint, kTint), blue = draw(rng, -kTint, kTint);
  // Green takes back what red and blue add, by their weights in brightness (Rec. 601: 0.299, 0.587, 0.114).
  return {brightness + red, brightness - (0.299F * red + 0.114F * blue) / 0.587F, brightness + blue};
}

// Smooth random texture: values on a lattice, bilinear between, in -1..1.
class ValueNoise {
 public:
  ValueNoise(SampleRng& rng, int width, int height, float cell) : cell_(cell) {
    columns_ = static_cast<int>(static_cast<float>(width) / cell) + 2;
    const int rows = static_cast<int>(static_cast<float>(height) / cell) + 2;
    values_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows));
    for (float& value : values_) value = static_cast<float>(rng.next_u32()) * 0x1.0p-31F - 1.0F;
  }

  float at(int x, int y) const {
    const float fx = static_cast<float>(x) / cell_, fy = static_cast<float>(y) / cell_;
    const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
    const float tx = fx - static_cast<float>(ix), ty = fy - static_cast<float>(iy);
    const float* row = &values_[static_cast<std::size_t>(iy) * static_cast<std::size_t>(columns_) +
                                static_cast<std::size_t>(ix)];
    const float above = row[0] + tx * (row[1] - row[0]);
    const float below = row[columns_] + tx * (row[columns_ + 1] - row[columns_]);
    return above + ty * (below - above);
  }

 private:
  float cell_;
  int columns_ = 0;
  std::vector<float> values_;
};

struct Canvas {
  int width;
  int height;
  std::vector<float> rgb;

  float* pixel(int x, int y) {
    return &rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)) *
                3];
  }
};

// Where a mark can touch the canvas. Half-open.
struct Bounds {
  int x0, y0, x1, y1;
};

Bounds bounds_about(const Canvas& canvas, float x0, float y0, float x1, float y1) {
  return {std::clamp(static_cast<int>(std::floor(x0)) - 1, 0, canvas.width),
          std::clamp(static_cast<int>(std::floor(y0)) - 1, 0, canvas.height),
          std::clamp(static_cast<int>(std::ceil(x1)) + 2, 0, canvas.width),
          std::clamp(static_cast<int>(std::ceil(y1)) + 2, 0, canvas.height)};
}

void blend(float* pixel, const Colour& colour, float added, float coverage) {
  for (std::size_t c = 0; c < 3; ++c) pixel[c] += coverage * (colour[c] + added - pixel[c]);
}

// One pixel of edge: 1 inside, 0 outside, by the distance in pixels.
float coverage_of(float distance) { return std::clamp(0.5F - distance, 0.0F, 1.0F); }

// What a scene draws before any pixel: brightness first, since the contrast is what makes a shape visible at
// 64 × 64.
struct Plan {
  float ground_brightness, shape_brightness;
  Colour ground_a, ground_b, shape;
  float ground_angle;
  float radius, centre_x, centre_y, rotation;
};

Plan make_plan(SampleRng& rng, int width, int height) {
  Plan plan;
  plan.ground_brightness = draw(rng, 110, 145);
  const float contrast = draw(rng, 70, 100);
  plan.shape_brightness = plan.ground_brightness + (rng.below(2) == 0 ? contrast : -contrast);
  plan.ground_a = tinted(rng, plan.ground_brightness + draw(rng, -12, 12));
  plan.ground_b = tinted(rng, plan.ground_brightness + draw(rng, -12, 12));
  plan.shape = tinted(rng, plan.shape_brightness);
  plan.ground_angle = draw(rng, 0, 2 * std::numbers::pi);
  const float side = static_cast<float>(std::min(width, height));
  plan.radius = side * draw(rng, 0.22, 0.32);  // so the shape spans 44 to 64 % of the short side
  // Within the centred square, so that a centre crop does not lose it.
  const float room = side / 2 - plan.radius;
  plan.centre_x = static_cast<float>(width) / 2 + draw(rng, -room, room);
  plan.centre_y = static_cast<float>(height) / 2 + draw(rng, -room, room);
  plan.rotation = draw(rng, 0, 2 * std::numbers::pi);
  return plan;
}

void draw_ground(Canvas& canvas, SampleRng& rng, const Plan& plan) {
  const float side = static_cast<float>(std::min(canvas.width, canvas.height));
  const ValueNoise coarse(rng, canvas.width, canvas.height, std::max(side / 4, 4.0F));
  const ValueNoise fine(rng, canvas.width, canvas.height, std::max(side / 20, 2.0F));
  const float coarse_depth = draw(rng, 6, 16), fine_depth = draw(rng, 3, 10);
  const float step_x = std::cos(plan.ground_angle) / static_cast<float>(canvas.width);
  const float step_y = std::sin(plan.ground_angle) / static_cast<float>(canvas.height);
  for (int y = 0; y < canvas.height; ++y) {
    for (int x = 0; x < canvas.width; ++x) {
      const float t = 0.5F + (static_cast<float>(x) - static_cast<float>(canvas.width) / 2) * step_x +
                      (static_cast<float>(y) - static_cast<float>(canvas.height) / 2) * step_y;
      const float texture = coarse_depth * coarse.at(x, y) + fine_depth * fine.at(x, y);
      float* pixel = canvas.pixel(x, y);
      for (std::size_t c = 0; c < 3; ++c) {
        pixel[c] = plan.ground_a[c] + t * (plan.ground_b[c] - plan.ground_a[c]) + texture;
      }
    }
  }
}

// Thin lines and specks in colours of their own: edges that belong to no class.
void draw_distractors(Canvas& canvas, SampleRng& rng, const Plan& plan) {
  const float side = static_cast<float>(std::min(canvas.width, canvas.height));
  const std::uint64_t marks = 3 + rng.below(4);
  for (std::uint64_t mark = 0; mark < marks; ++mark) {
    const bool line = rng.below(2) == 0;
    const float contrast = draw(rng, 35, 80) * (rng.below(2) == 0 ? 1.0F : -1.0F);
    const Colour colour = tinted(rng, plan.ground_brightness + contrast);
    const float length = line ? side * draw(rng, 0.2, 0.8) : side * draw(rng, 0.0, 0.04);
    const float radius = line ? side * draw(rng, 0.004, 0.010) : side * draw(rng, 0.015, 0.04);
    const float angle = draw(rng, 0, 2 * std::numbers::pi);
    const float ax = draw(rng, 0, canvas.width), ay = draw(rng, 0, canvas.height);
    const float bx = ax + length * std::cos(angle), by = ay + length * std::sin(angle);
    const Bounds box = bounds_about(canvas, std::min(ax, bx) - radius, std::min(ay, by) - radius,
                                    std::max(ax, bx) + radius, std::max(ay, by) + radius);
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) {
        const float distance =
            capsule_distance(static_cast<float>(x), static_cast<float>(y), ax, ay, bx, by, radius);
        if (distance < 0.5F) blend(canvas.pixel(x, y), colour, 0, coverage_of(distance));
      }
    }
  }
}

// Brightness that the surface adds at a place of the shape's own plane.
float surface_pattern(Surface surface, float u, float v, float phase) {
  constexpr float kDepth = 30;
  constexpr float kPeriod = 0.4F;  // of the radius: 5 pixels and more of a picture of 64 × 64
  constexpr float kTwoPi = 2 * std::numbers::pi_v<float>;
  const auto band = [&](float along) { return std::sin(kTwoPi * along / kPeriod + phase); };
  switch (surface) {
    case Surface::plain:
      return 0;
    case Surface::striped:
      return kDepth * std::clamp(3 * band(u), -1.0F, 1.0F);
    case Surface::checked:
      return kDepth * std::clamp(3 * band(u) * band(v), -1.0F, 1.0F);
    case Surface::dotted:
      return band(u) + band(v) > 0.9F ? kDepth : -kDepth;
    case Surface::rippled:
      return kDepth * std::clamp(3 * band(std::hypot(u, v)), -1.0F, 1.0F);
  }
  throw Error(ErrorCode::internal, {.operation = "draw surface", .found = "a value outside the enumeration"});
}

void draw_shape(Canvas& canvas, SampleRng& rng, const SceneClass& what, const Plan& plan) {
  const float phase = draw(rng, 0, 2 * std::numbers::pi);
  const float side = static_cast<float>(std::min(canvas.width, canvas.height));
  const ValueNoise texture(rng, canvas.width, canvas.height, std::max(side / 10, 3.0F));
  const float depth = draw(rng, 2, 8);
  const float cosine = std::cos(plan.rotation), sine = std::sin(plan.rotation);
  const Bounds box = bounds_about(canvas, plan.centre_x - plan.radius, plan.centre_y - plan.radius,
                                  plan.centre_x + plan.radius, plan.centre_y + plan.radius);
  for (int y = box.y0; y < box.y1; ++y) {
    for (int x = box.x0; x < box.x1; ++x) {
      const float dx = (static_cast<float>(x) - plan.centre_x) / plan.radius;
      const float dy = (static_cast<float>(y) - plan.centre_y) / plan.radius;
      const float u = cosine * dx + sine * dy, v = cosine * dy - sine * dx;
      const float distance = shape_distance(what.shape, u, v) * plan.radius;
      if (distance >= 0.5F) continue;
      const float added = depth * texture.at(x, y) + surface_pattern(what.surface, u, v, phase);
      blend(canvas.pixel(x, y), plan.shape, added, coverage_of(distance));
    }
  }
}

// The sensor: noise of standard deviation 6 on each pixel's brightness, then 8 bits.
std::vector<std::uint8_t> expose(const Canvas& canvas, std::uint64_t seed, std::uint64_t index,
                                 std::uint32_t kind) {
  std::vector<std::uint8_t> out(canvas.rgb.size());
  constexpr float kDeviation = 6;
  constexpr float kSumDeviation = 147.8F;  // of four uniform bytes: sqrt(4 * (256^2 - 1) / 12)
  std::size_t at = 0;
  for (int y = 0; y < canvas.height; ++y) {
    SampleRng rng(seed, kind, index, kRowSteps + static_cast<std::uint32_t>(y));
    for (int x = 0; x < canvas.width; ++x) {
      const std::uint32_t bits = rng.next_u32();
      const auto sum =
          static_cast<float>((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24));
      const float noise = (sum - 510.0F) * (kDeviation / kSumDeviation);
      for (int c = 0; c < 3; ++c, ++at) {
        out[at] = static_cast<std::uint8_t>(std::clamp(canvas.rgb[at] + noise + 0.5F, 0.0F, 255.0F));
      }
    }
  }
  return out;
}

}  // namespace

std::string_view to_string(Surface surface) {
  switch (surface) {
    case Surface::plain:
      return "plain";
    case Surface::striped:
      return "striped";
    case Surface::checked:
      return "checked";
    case Surface::dotted:
      return "dotted";
    case Surface::rippled:
      return "rippled";
  }
  throw Error(ErrorCode::internal, {.operation = "name surface", .found = "a value outside the enumeration"});
}

std::string SceneClass::name() const { return fmt::format("{}_{}", to_string(surface), to_string(shape)); }

std::vector<SceneClass> scene_classes(int count) {
  std::vector<SceneClass> classes;
  for (int i = 0; i < count; ++i) {
    // The next round of shapes gets other surfaces than the one before.
    classes.push_back(
        {static_cast<Shape>(i % kShapeCount), static_cast<Surface>((i + i / kShapeCount) % kSurfaceCount)});
  }
  std::sort(classes.begin(), classes.end(),
            [](const SceneClass& a, const SceneClass& b) { return a.name() < b.name(); });
  return classes;
}

std::vector<std::uint8_t> draw_scene(const SceneClass& what, int width, int height, std::uint64_t seed,
                                     std::uint64_t image) {
  // The kind takes the place of the generator's epoch: a class draws the same whatever other classes there
  // are.
  const auto kind =
      static_cast<std::uint32_t>(static_cast<int>(what.surface) * kShapeCount + static_cast<int>(what.shape));
  SampleRng rng(seed, kind, image, kSceneStep);
  SampleRng texture_rng(seed, kind, image, kTextureStep);
  const Plan plan = make_plan(rng, width, height);
  Canvas canvas{width, height,
                std::vector<float>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)};
  draw_ground(canvas, texture_rng, plan);
  draw_distractors(canvas, rng, plan);
  draw_shape(canvas, texture_rng, what, plan);
  return expose(canvas, seed, image, kind);
}

}  // namespace stoker::bench
