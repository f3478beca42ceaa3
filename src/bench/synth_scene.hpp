// One picture of the sample set: a shape of its class somewhere on a busy ground, everything else left to
// chance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/synth_shapes.hpp"

namespace stoker::bench {

// What the inside of a shape looks like. A small network sees it first, the outline later.
enum class Surface { plain, striped, checked, dotted, rippled };
inline constexpr int kSurfaceCount = 5;
std::string_view to_string(Surface surface);

struct SceneClass {
  Shape shape = Shape::disk;
  Surface surface = Surface::plain;
  std::string name() const;  // "plain_disk"
};

// The classes by label: their names sorted by code point, as a folder of them is read. 2 <= count <= 24.
std::vector<SceneClass> scene_classes(int count);

// Draws image `image` of a class. Position (within the centred square), size, rotation, colours, which of
// ground and shape is the lighter one, texture, lines and specks beside the shape, and noise are functions of
// (seed, class, image). Shape: height × width × 3, RGB.
std::vector<std::uint8_t> draw_scene(const SceneClass& what, int width, int height, std::uint64_t seed,
                                     std::uint64_t image);

}  // namespace stoker::bench
