#include "load/array_placer.hpp"

#include <algorithm>
#include <cstring>

#include "array/npy.hpp"
#include "base/endian.hpp"
#include "base/float16.hpp"

namespace stoker::load {

Result<void> ArrayPlacer::place(std::span<const std::byte> file, std::span<const std::size_t> shape,
                                DType dtype, std::byte* out) {
  const Result<array::NpyArray> array = array::read_npy(file);
  if (!array) return tl::unexpected(array.error());
  if (!std::ranges::equal(array->shape, shape)) {
    return fail(ErrorCode::unsupported,
                {.operation = "load array",
                 .found = "the shape " + array::to_string(array->shape),
                 .allowed = array::to_string(array::Shape(shape.begin(), shape.end())),
                 .next_step = "name the arrays' shape in the recipe: array(20x129x37)"});
  }
  if (dtype == DType::f32) {
    array::copy_floats(*array, std::span(reinterpret_cast<float*>(out), array->count()));
    return {};
  }
  const bool as_stored = array->type == array::NumberType::f2 && !array->big_endian && !array->fortran_order;
  if (as_stored) {
    std::memcpy(out, array->data.data(), array->data.size());
    return {};
  }
  numbers_.resize(array->count());
  array::copy_floats(*array, numbers_);
  for (std::size_t i = 0; i < numbers_.size(); ++i) store_le(out + 2 * i, to_f16(numbers_[i]));
  return {};
}

}  // namespace stoker::load
