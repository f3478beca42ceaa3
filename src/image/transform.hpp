// Runs a recipe on one sample: draws its random choices, decodes only the crop, writes the tensor in its
// place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stoker/recipe.hpp"

#include "base/result.hpp"
#include "image/decoder.hpp"

namespace stoker::image {

// Names a sample's draws: with the same four values the same tensor comes out.
struct SampleCoordinates {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t index = 0;
};

// What a recipe's geometry comes to for one image, its random choices made.
struct Geometry {
  DecodeSpec spec;  // crop, resize, window
  bool flip = false;
};

struct TransformOutcome {
  std::string_view warning;  // valid until the decoder's next call
  std::chrono::nanoseconds decode_time{};
  std::chrono::nanoseconds transform_time{};  // resize, flip, normalise, layout
};

// Threads: const, shared by all workers; each brings its own Decoder.
class Transform {
 public:
  explicit Transform(Recipe recipe);

  const Recipe& recipe() const { return recipe_; }
  Geometry geometry(Size image, const SampleCoordinates& sample) const;
  // Writes recipe().bytes_per_sample() bytes to `out`; on error it may hold anything.
  // Errors: as Decoder::decode.
  Result<TransformOutcome> run(Decoder& decoder, std::span<const std::byte> bytes,
                               const SampleCoordinates& sample, std::uint64_t max_pixels,
                               std::byte* out) const;

 private:
  Recipe recipe_;
  Normalize normalize_;
  bool has_normalize_ = false;
};

}  // namespace stoker::image
