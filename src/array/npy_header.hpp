// The header of a .npy file: a Python dictionary as text, of which exactly three entries are allowed.
#pragma once

#include <string_view>

#include "array/npy.hpp"

namespace stoker::array {

struct NpyHeader {
  NumberType type = NumberType::f4;
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
};

// Errors: corrupt_data, unsupported; offsets are within `text`, counted from `offset`.
Result<NpyHeader> read_npy_header(std::string_view text, std::size_t offset);

}  // namespace stoker::array
