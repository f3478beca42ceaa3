// What the files of this folder share: one binds one public header, module.cpp calls them all.
#pragma once

#include <cstddef>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/error.hpp"

namespace stoker::python {

namespace nb = nanobind;

void bind_array(nb::module_& module);
void bind_errors(nb::module_& module);
void bind_images(nb::module_& module);
void bind_recipe(nb::module_& module);
void bind_records(nb::module_& module);
void bind_loader(nb::module_& module);
void bind_packing(nb::module_& module);

enum class ArrayType { u8, f16, bf16, f32, i64, u64 };

// Numbers in memory that C++ owns. Owns: a share of whatever holds them.
struct Array {
  std::shared_ptr<const void> owner;
  const void* data = nullptr;
  std::vector<std::size_t> shape;
  ArrayType type = ArrayType::u8;
};

// A vector's numbers, moved and not copied.
template <typename T>
Array array_of(std::vector<T> values, std::vector<std::size_t> shape, ArrayType type) {
  auto held = std::make_shared<const std::vector<T>>(std::move(values));
  const void* data = held->data();
  return {.owner = std::move(held), .data = data, .shape = std::move(shape), .type = type};
}

// A str; bytes that are no UTF-8 become surrogates, as in file names.
inline nb::object text(std::string_view bytes) {
  return nb::steal(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}
// A path as os.fsencode gives it.
inline std::string path_of(const nb::bytes& path) { return {path.c_str(), path.size()}; }

// The value whose to_string is `name`. Errors: invalid_argument, naming the option and what is allowed.
template <typename Enum>
Enum named(std::string_view option, std::string_view name, std::initializer_list<Enum> values) {
  std::string allowed;
  for (const Enum value : values) {
    if (to_string(value) == name) return value;
    allowed += (allowed.empty() ? "'" : ", '") + std::string(to_string(value)) + "'";
  }
  throw Error(ErrorCode::invalid_argument, {.operation = "option",
                                            .object = std::string(option),
                                            .found = "'" + std::string(name) + "'",
                                            .allowed = allowed});
}

}  // namespace stoker::python
