// Arrays to another length.
#pragma once

#include <vector>

#include "array/step.hpp"

namespace stoker::array {

inline constexpr int kMaxLength = 1 << 24;

// resize(length=100): the last axis to this length; resize(shape=64x100): the last two axes. Linear between
// the centres of neighbours: number i of the new axis lies at (i + 0.5) * old / new - 0.5 of the old one,
// drawn into its ends. No filter is laid before a reduction. (torch's interpolate, mode="linear",
// align_corners=False.) Places are computed in double precision, numbers in single: within 4e-7 of the larger
// neighbour.
class Resize final : public Step {
 public:
  // `lengths`: of the last axes, one or two.
  Resize(std::vector<std::size_t> lengths, std::optional<StoredType> dtype);

  std::string to_string() const override;
  Result<Shape> output_shape(const Shape& input) const override;
  void run(const Shape& shape, std::span<const float> in, std::span<float> out) override;
  std::optional<StoredType> stored() const override { return dtype_; }

 private:
  const std::vector<std::size_t> lengths_;
  const std::optional<StoredType> dtype_;
  std::vector<float> between_;
};

}  // namespace stoker::array
