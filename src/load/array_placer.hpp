// A .npy file's numbers, in a sample's place of a batch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stoker/recipe.hpp"

#include "base/result.hpp"

namespace stoker::load {

// Threads: one at a time; memory for numbers that change their type is kept.
class ArrayPlacer {
 public:
  // Writes the array's numbers to `out`, the last axis running fastest, as `dtype` (f32, or f16 to nearest,
  // ties to even), which it is aligned to.
  // Errors: as read_npy; unsupported (another shape).
  Result<void> place(std::span<const std::byte> file, std::span<const std::size_t> shape, DType dtype,
                     std::byte* out);

 private:
  std::vector<float> numbers_;
};

}  // namespace stoker::load
