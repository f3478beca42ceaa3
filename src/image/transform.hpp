// Runs a recipe on one sample: draws its choices, decodes only the crop, writes the tensor in its place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "stoker/recipe.hpp"

#include "base/result.hpp"
#include "image/convert.hpp"
#include "image/decoder.hpp"
#include "image/geometry.hpp"

namespace stoker::image {

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
  // Source: fold_geometry.
  Geometry geometry(Size image, const SampleCoordinates& sample) const;
  // Writes recipe().bytes_per_sample() bytes to `out`, which is aligned to the recipe's number type; on error
  // it may hold anything. Allocates nothing beyond what the decoder does. Errors: as Decoder::decode;
  // unsupported (a picture so long that its resize is beyond all sizes).
  Result<TransformOutcome> run(Decoder& decoder, std::span<const std::byte> bytes,
                               const SampleCoordinates& sample, std::uint64_t max_pixels,
                               std::byte* out) const;

 private:
  Recipe recipe_;
  ConvertTable table_;
};

}  // namespace stoker::image
