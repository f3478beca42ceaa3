#include "array/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

#include "array/halves.hpp"
#include "array/npy_header.hpp"
#include "base/endian.hpp"
#include "base/float16.hpp"

namespace stoker::array {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;  // magic, major, minor
constexpr std::size_t kAlignment = 64;  // of the data in a file that NumPy writes
constexpr std::size_t kGrowth = 21;     // digits that NumPy leaves room for, should the first axis grow
constexpr std::size_t kLargestHeader = std::size_t{64} << 10;

struct TypeFacts {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<TypeFacts, 11> kTypes{{{"float16", 2},
                                            {"float32", 4},
                                            {"float64", 8},
                                            {"int8", 1},
                                            {"int16", 2},
                                            {"int32", 4},
                                            {"int64", 8},
                                            {"uint8", 1},
                                            {"uint16", 2},
                                            {"uint32", 4},
                                            {"uint64", 8}}};

tl::unexpected<Error> corrupt(std::string object, std::string found, std::string allowed = {}) {
  return fail(ErrorCode::corrupt_data, {.operation = "read .npy",
                                        .object = std::move(object),
                                        .found = std::move(found),
                                        .allowed = std::move(allowed)});
}

// Whether exactly `bytes` bytes hold an array of this shape, without a product that overflows.
bool holds_exactly(const NpyHeader& header, std::size_t bytes) {
  if (std::find(header.shape.begin(), header.shape.end(), 0U) != header.shape.end()) return bytes == 0;
  if (bytes % bytes_of(header.type) != 0) return false;
  std::size_t left = bytes / bytes_of(header.type);
  for (const std::size_t length : header.shape) {
    if (left % length != 0) return false;
    left /= length;
  }
  return left == 1;
}

// The numbers are `T`s, or halves where `half`.
template <class T, bool half = false>
struct Source {
  const std::byte* data;
  bool swap;

  float operator()(std::size_t i) const {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), data + i * sizeof(T), sizeof(T));
    if (swap) std::reverse(bytes.begin(), bytes.end());
    const T value = load_le<T>(bytes.data());
    if constexpr (half) {
      return from_f16(value);
    } else {
      return static_cast<float>(value);
    }
  }
};

// Number i of the row-major order lies at `sum of place * stride` of the other.
template <class S>
void copy_transposed(const S& source, const Shape& shape, std::span<float> out) {
  std::array<std::size_t, kMaxAxes> place{}, stride{};
  std::size_t step = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    stride[axis] = step;
    step *= shape[axis];
  }
  std::size_t at = 0;
  for (float& number : out) {
    number = source(at);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      at += stride[axis];
      if (++place[axis] < shape[axis]) break;
      at -= stride[axis] * shape[axis];
      place[axis] = 0;
    }
  }
}

template <class T, bool half = false>
void copy_as(const NpyArray& array, std::span<float> out) {
  const Source<T, half> source{array.data.data(), array.big_endian};
  if (array.fortran_order && array.shape.size() > 1) return copy_transposed(source, array.shape, out);
  if (array.big_endian) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = source(i);
  } else if constexpr (std::is_same_v<T, float>) {
    if (!out.empty()) std::memcpy(out.data(), array.data.data(), out.size() * sizeof(float));
  } else if constexpr (half) {
    floats_from_halves(array.data.data(), out);
  } else {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(load_le<T>(&array.data[i * sizeof(T)]));
  }
}

}  // namespace

std::string_view to_string(NumberType type) { return kTypes[static_cast<std::size_t>(type)].name; }
std::size_t bytes_of(NumberType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }
std::string_view to_string(StoredType type) { return type == StoredType::float16 ? "float16" : "float32"; }

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::size_t count_of(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  return count;
}

bool is_npy(std::span<const std::byte> file) {
  return std::string_view(reinterpret_cast<const char*>(file.data()), file.size()).starts_with(kMagic);
}

Result<NpyArray> read_npy(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!is_npy(file)) {
    return corrupt("", file.empty() ? "no bytes" : "a file that does not begin with \\x93NUMPY",
                   "a .npy file, as numpy.save writes it");
  }
  if (text.size() < kVersionEnd + 2) return corrupt("", fmt::format("the end after {} bytes", text.size()));
  const int major = static_cast<unsigned char>(text[6]), minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return fail(ErrorCode::unsupported, {.operation = "read .npy",
                                         .found = fmt::format("version {}.{} of the format", major, minor),
                                         .allowed = "1.0, 2.0, 3.0"});
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t header_begin = kVersionEnd + length_bytes;
  if (text.size() < header_begin) return corrupt("", fmt::format("the end after {} bytes", text.size()));
  const std::size_t header_bytes =
      major == 1 ? load_le<std::uint16_t>(&file[kVersionEnd]) : load_le<std::uint32_t>(&file[kVersionEnd]);
  if (header_bytes > kLargestHeader || header_bytes > text.size() - header_begin) {
    return corrupt(
        "byte 8", fmt::format("a header of {} bytes", header_bytes),
        fmt::format("at most {}, of the {} that follow", kLargestHeader, text.size() - header_begin));
  }
  auto header = read_npy_header(text.substr(header_begin, header_bytes), header_begin);
  if (!header) return tl::unexpected(header.error());
  const std::span<const std::byte> data = file.subspan(header_begin + header_bytes);
  if (!holds_exactly(*header, data.size())) {
    return corrupt(
        "", fmt::format("{} bytes of data", data.size()),
        fmt::format("those of the shape {} in {}", to_string(header->shape), to_string(header->type)));
  }
  return NpyArray{.type = header->type,
                  .big_endian = header->big_endian,
                  .fortran_order = header->fortran_order,
                  .shape = std::move(header->shape),
                  .data = data};
}

void copy_floats(const NpyArray& array, std::span<float> out) {
  switch (array.type) {
    case NumberType::f2:
      return copy_as<std::uint16_t, true>(array, out);
    case NumberType::f4:
      return copy_as<float>(array, out);
    case NumberType::f8:
      return copy_as<double>(array, out);
    case NumberType::i1:
      return copy_as<std::int8_t>(array, out);
    case NumberType::i2:
      return copy_as<std::int16_t>(array, out);
    case NumberType::i4:
      return copy_as<std::int32_t>(array, out);
    case NumberType::i8:
      return copy_as<std::int64_t>(array, out);
    case NumberType::u1:
      return copy_as<std::uint8_t>(array, out);
    case NumberType::u2:
      return copy_as<std::uint16_t>(array, out);
    case NumberType::u4:
      return copy_as<std::uint32_t>(array, out);
    case NumberType::u8:
      return copy_as<std::uint64_t>(array, out);
  }
}

void write_npy(const Shape& shape, std::span<const float> values, StoredType type,
               std::vector<std::byte>& out) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   type == StoredType::float16 ? "<f2" : "<f4", fmt::join(shape, ", "),
                                   shape.size() == 1 ? "," : "");
  if (!shape.empty()) header.append(kGrowth - std::min(kGrowth, std::to_string(shape[0]).size()), ' ');
  const std::size_t begin = kVersionEnd + 2;
  header.append(kAlignment - (begin + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  const std::size_t number_bytes = type == StoredType::float16 ? 2 : 4;
  const std::size_t data_begin = begin + header.size();
  out.resize(data_begin + values.size() * number_bytes);
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  out[6] = std::byte{1};
  out[7] = std::byte{0};
  store_le(&out[kVersionEnd], static_cast<std::uint16_t>(header.size()));
  std::memcpy(&out[begin], header.data(), header.size());
  if (values.empty()) return;
  std::byte* to = out.data() + data_begin;
  if (type == StoredType::float32) {
    std::memcpy(to, values.data(), values.size_bytes());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) store_le(to + 2 * i, to_f16(values[i]));
  }
}

}  // namespace stoker::array
