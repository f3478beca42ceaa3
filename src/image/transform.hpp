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

// One image on its way in. Views memory of the caller's.
struct TransformInput {
  std::span<const std::byte> bytes;
  std::span<const std::byte> seek_points = {};  // as DecodeSpec::seek_points
  std::uint64_t max_pixels = kDefaultMaxPixels;
  PixelMode pixels = PixelMode::exact;
  Learn learn = Learn::nothing;
};

struct TransformOutcome {
  std::string_view warning;            // valid until the decoder's next call
  std::span<const std::byte> learned;  // as Decoder::learned(); valid as long
  DecodeRoute route = DecodeRoute::other;
  bool points_failed = false;
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
  Result<TransformOutcome> run(Decoder& decoder, const TransformInput& input, const SampleCoordinates& sample,
                               std::byte* out) const;

 private:
  Recipe recipe_;
  ConvertTable table_;
};

}  // namespace stoker::image
