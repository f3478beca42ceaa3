#include "bench/synth_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stoker/error.hpp"

namespace stoker::bench {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

float box_distance(float x, float y, float centre_x, float centre_y, float half_width, float half_height) {
  const float dx = std::abs(x - centre_x) - half_width;
  const float dy = std::abs(y - centre_y) - half_height;
  return std::hypot(std::max(dx, 0.0F), std::max(dy, 0.0F)) + std::min(std::max(dx, dy), 0.0F);
}

// An equilateral triangle with its corners on the unit circle: the largest of three half-planes.
float triangle_distance(float x, float y) {
  constexpr float kInradius = 0.5F;
  const float side = std::abs(x) * std::cos(kPi / 6) - y * 0.5F;
  return std::max(y, side) - kInradius;
}

// Five points on the unit circle: fold the plane into half a point's wedge, then one edge decides.
float star_distance(float x, float y) {
  constexpr float kInnerRadius = 0.45F;
  constexpr float kHalfWedge = kPi / 5;
  const float wedges = std::atan2(x, -y) / (2 * kHalfWedge);
  const float angle = std::abs(wedges - std::round(wedges)) * 2 * kHalfWedge;
  const float radius = std::hypot(x, y);
  const float px = radius * std::cos(angle), py = radius * std::sin(angle);
  const float inner_x = kInnerRadius * std::cos(kHalfWedge), inner_y = kInnerRadius * std::sin(kHalfWedge);
  const float edge_x = inner_x - 1.0F, edge_y = inner_y;
  return (edge_y * (px - 1.0F) - edge_x * py) / std::hypot(edge_x, edge_y);
}

}  // namespace

std::string_view to_string(Shape shape) {
  switch (shape) {
    case Shape::disk:
      return "disk";
    case Shape::triangle:
      return "triangle";
    case Shape::cross:
      return "cross";
    case Shape::ring:
      return "ring";
    case Shape::square:
      return "square";
    case Shape::star:
      return "star";
    case Shape::ell:
      return "ell";
    case Shape::crescent:
      return "crescent";
  }
  throw Error(ErrorCode::internal, {.operation = "name shape", .found = "a value outside the enumeration"});
}

float shape_distance(Shape shape, float x, float y) {
  switch (shape) {
    case Shape::disk:
      return std::hypot(x, y) - 0.85F;
    case Shape::triangle:
      return triangle_distance(x, y);
    case Shape::cross:
      return std::min(box_distance(x, y, 0, 0, 0.94F, 0.28F), box_distance(x, y, 0, 0, 0.28F, 0.94F));
    case Shape::ring:
      return std::abs(std::hypot(x, y) - 0.72F) - 0.22F;
    case Shape::square:
      return box_distance(x, y, 0, 0, 0.7F, 0.7F);
    case Shape::star:
      return star_distance(x, y);
    case Shape::ell:
      return std::min(box_distance(x, y, -0.4F, 0, 0.24F, 0.76F), box_distance(x, y, 0, 0.52F, 0.64F, 0.24F));
    case Shape::crescent:
      return std::max(std::hypot(x, y) - 0.95F, 0.72F - std::hypot(x - 0.5F, y));
  }
  throw Error(ErrorCode::internal, {.operation = "draw shape", .found = "a value outside the enumeration"});
}

float capsule_distance(float x, float y, float ax, float ay, float bx, float by, float radius) {
  const float length_squared = (bx - ax) * (bx - ax) + (by - ay) * (by - ay);
  const float along =
      length_squared > 0 ? ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length_squared : 0.0F;
  const float t = std::clamp(along, 0.0F, 1.0F);
  return std::hypot(x - (ax + t * (bx - ax)), y - (ay + t * (by - ay))) - radius;
}

}  // namespace stoker::bench
