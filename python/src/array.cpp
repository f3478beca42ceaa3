// Array: memory of C++ for NumPy, PyTorch and JAX, without a copy.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <numeric>

#include "bindings.hpp"

namespace stoker::python {
namespace {

struct TypeFacts {
  const char* name;
  const char* typestr;  // of NumPy's array interface; null: NumPy has none
  nb::dlpack::dtype dlpack;
};

const TypeFacts& facts_of(ArrayType type) {
  using Code = nb::dlpack::dtype_code;
  const auto make = [](Code code, unsigned bits) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
  };
  static const TypeFacts kFacts[] = {
      {"uint8", "|u1", make(Code::UInt, 8)},         {"float16", "<f2", make(Code::Float, 16)},
      {"bfloat16", nullptr, make(Code::Bfloat, 16)}, {"float32", "<f4", make(Code::Float, 32)},
      {"int64", "<i8", make(Code::Int, 64)},         {"uint64", "<u8", make(Code::UInt, 64)}};
  return kFacts[static_cast<std::size_t>(type)];
}

std::size_t count_of(const Array& array) {
  return std::accumulate(array.shape.begin(), array.shape.end(), std::size_t{1}, std::multiplies<>());
}

nb::tuple shape_of(const Array& array) {
  nb::list sides;
  for (const std::size_t side : array.shape) sides.append(side);
  return nb::tuple(sides);
}

// nanobind's own array object, which knows every version of DLPack. It keeps `self` alive.
nb::object array_object(const nb::handle& self, const Array& array) {
  return nb::cast(nb::ndarray<nb::array_api>(const_cast<void*>(array.data), array.shape.size(),
                                             array.shape.data(), self, nullptr, facts_of(array.type).dlpack));
}

}  // namespace

void bind_array(nb::module_& module) {
  nb::class_<Array>(
      module, "Array",
      "Numbers in memory that Stoker owns, without a copy: np.asarray(a), torch.from_dlpack(a), "
      "jax.dlpack.from_dlpack(a).\n\nValid as long as it, or an array made of it, lives.")
      .def_prop_ro("shape", &shape_of)
      .def_prop_ro("dtype", [](const Array& array) { return facts_of(array.type).name; })
      .def_prop_ro("ndim", [](const Array& array) { return array.shape.size(); })
      .def_prop_ro("nbytes",
                   [](const Array& array) { return count_of(array) * facts_of(array.type).dlpack.bits / 8; })
      .def("__len__",
           [](const Array& array) {
             if (array.shape.empty()) throw nb::type_error("an array without dimensions has no length");
             return array.shape[0];
           })
      .def(
          "__dlpack__",
          [](const nb::handle& self, const nb::kwargs& options) {
            return array_object(self, nb::cast<const Array&>(self)).attr("__dlpack__")(**options);
          },
          nb::sig("def __dlpack__(self, **kwargs: typing.Any) -> typing_extensions.CapsuleType"))
      .def(
          "__dlpack_device__", [](const Array&) { return nb::make_tuple(1, 0); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def_prop_ro("__array_interface__",
                   [](const Array& array) {
                     const TypeFacts& facts = facts_of(array.type);
                     if (!facts.typestr)
                       throw nb::attribute_error("NumPy has no bfloat16; take torch.from_dlpack");
                     nb::dict interface;
                     interface["version"] = 3;
                     interface["shape"] = shape_of(array);
                     interface["typestr"] = facts.typestr;
                     interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data), false);
                     return interface;
                   })
      .def("__repr__", [](const Array& array) {
        std::string sides;
        for (const std::size_t side : array.shape) sides += (sides.empty() ? "" : "x") + std::to_string(side);
        return std::string("Array(") + facts_of(array.type).name + ", " + sides + ")";
      });
}

}  // namespace stoker::python
