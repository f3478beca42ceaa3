// Which Array a tensor of the library is.
#pragma once

#include "stoker/recipe.hpp"

#include "bindings.hpp"

namespace stoker::python {

inline ArrayType array_type(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return ArrayType::u8;
    case DType::f16:
      return ArrayType::f16;
    case DType::bf16:
      return ArrayType::bf16;
    case DType::f32:
      return ArrayType::f32;
  }
  return ArrayType::u8;
}

}  // namespace stoker::python
