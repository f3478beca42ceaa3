// A recipe on one sample: what a Loader does with each of its own, for programs that choose the samples
// themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "stoker/image.hpp"
#include "stoker/recipe.hpp"

namespace stoker {

struct TransformOptions {
  PixelMode pixels = PixelMode::exact;
  std::uint64_t max_pixels = kDefaultMaxPixels;
};

// One sample, and what its random choices are drawn from: a Loader draws the same from the same three
// numbers. Views memory of the caller's.
struct TransformSample {
  std::span<const std::byte> bytes;             // an image, or a .npy of a recipe of arrays
  std::span<const std::byte> seek_points = {};  // as DecodeSpec::seek_points
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t index = 0;  // in its source
};

// Threads: one at a time. Keeps its memory between samples.
class Transformer {
 public:
  explicit Transformer(Recipe recipe, TransformOptions options = {});
  ~Transformer();
  Transformer(Transformer&&) noexcept;
  Transformer& operator=(Transformer&&) noexcept;

  const Recipe& recipe() const;
  // Decodes just the crop, and writes the tensor: shape recipe().shape(), bytes recipe().bytes_per_sample(),
  // aligned as new aligns. Gives the decoder's complaint about bytes that it could read all the same; empty:
  // none. Errors: corrupt_data, unsupported, out_of_resources (more than max_pixels), invalid_argument (`out`
  // of another size).
  std::string run(const TransformSample& sample, std::span<std::byte> out);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker
