// One step on an array: its output's shape is known from its input's.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "array/npy.hpp"
#include "base/result.hpp"

namespace stoker::array {

// The most numbers that a step may make: 1 GiB of float32.
inline constexpr std::size_t kMaxNumbers = std::size_t{1} << 28;

// Threads: one at a time; a step keeps memory for its work.
class Step {
 public:
  virtual ~Step() = default;

  // Its text with every option; reading that gives the same step.
  virtual std::string to_string() const = 0;
  // Errors: unsupported (this step makes nothing of such an array).
  virtual Result<Shape> output_shape(const Shape& input) const = 0;
  // `in` has the numbers of an array of `shape`, which output_shape() took; `out` has room for all it makes.
  virtual void run(const Shape& shape, std::span<const float> in, std::span<float> out) = 0;
  // How numbers are stored behind this step; empty: as behind the step before it.
  virtual std::optional<StoredType> stored() const = 0;
};

}  // namespace stoker::array
