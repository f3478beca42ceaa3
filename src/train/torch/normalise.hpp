// Bytes of pictures → the numbers that a network sees, on whatever device they lie.
#pragma once

#include <ATen/core/Tensor.h>

#include "stoker/recipe.hpp"

namespace stoker::training {

// ((value / 255) - mean) / std, one operation of single precision after the other: the bits that a recipe
// with `normalize` makes on the CPU. Shape: N × 3 × H × W in any memory order, which the result keeps.
class Normaliser {
 public:
  Normaliser(const Normalize& statistics, at::Device device);

  at::Tensor operator()(const at::Tensor& bytes) const;

 private:
  // Tensors all three: PyTorch multiplies by the inverse of a number that is none.
  at::Tensor whole_, mean_, std_;
};

}  // namespace stoker::training
