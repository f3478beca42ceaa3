// The outlines that `synth` draws, as signed distances, so that any size and rotation comes out with a smooth
// edge.
#pragma once

#include <string_view>

namespace stoker::bench {

enum class Shape { disk, triangle, cross, ring, square, star, ell, crescent };
inline constexpr int kShapeCount = 8;
std::string_view to_string(Shape shape);

// Distance from (x, y) to the outline, negative inside; exact near the outline, a bound far from it.
// Units: the shape's own: it lies within the circle of radius 1 about the origin.
float shape_distance(Shape shape, float x, float y);

// Distance to a line segment from (ax, ay) to (bx, by) with rounded ends of radius `radius`, negative inside.
float capsule_distance(float x, float y, float ax, float ay, float bx, float by, float radius);

}  // namespace stoker::bench
