// .npy files: one NumPy array each.
// Source: NumPy, numpy/lib/format.py (versions 1.0, 2.0 and 3.0 of the format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace stoker::array {

enum class NumberType { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 };
// As NumPy names it: "float16", "uint8".
std::string_view to_string(NumberType type);
std::size_t bytes_of(NumberType type);

using Shape = std::vector<std::size_t>;
// "[20, 2560]".
std::string to_string(const Shape& shape);
// The product; the shape is one whose numbers are in memory, or may be.
std::size_t count_of(const Shape& shape);

// Views the file's bytes.
struct NpyArray {
  NumberType type = NumberType::f4;
  bool big_endian = false;
  bool fortran_order = false;  // the first axis runs fastest in `data`
  Shape shape;                 // empty: a single number
  std::span<const std::byte> data;

  std::size_t count() const { return data.size() / bytes_of(type); }
};

inline constexpr std::size_t kMaxAxes = 32;

// Whether it begins as a .npy file does.
bool is_npy(std::span<const std::byte> file);

// The array in the bytes of a whole file. The shape is that of the data that is there: nothing else is
// believed, and nothing but the shape is allocated.
// Errors: corrupt_data (what is wrong, and where), unsupported (numbers of another type, records, objects).
Result<NpyArray> read_npy(std::span<const std::byte> file);

// All numbers as float32, the last axis running fastest, whatever their type, order of bytes and of axes.
// What float32 does not hold is rounded: integers above 2^24, most float64.
// Shape: `out` has array.count() numbers.
void copy_floats(const NpyArray& array, std::span<float> out);

// What is written.
enum class StoredType { float16, float32 };
std::string_view to_string(StoredType type);

// Replaces `out` by a file of version 1.0, byte for byte what numpy.save (2.x) writes. Numbers are rounded to
// nearest, ties to even. `values` has count_of(shape) numbers.
void write_npy(const Shape& shape, std::span<const float> values, StoredType type,
               std::vector<std::byte>& out);

}  // namespace stoker::array
