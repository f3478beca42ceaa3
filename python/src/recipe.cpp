// stoker/recipe.hpp and stoker/transform.hpp
#include "stoker/recipe.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "stoker/transform.hpp"

#include "bindings.hpp"
#include "types.hpp"

namespace stoker::python {
namespace {

Array run(Transformer& transformer, const nb::bytes& bytes, const nb::bytes& seek_points, std::uint64_t seed,
          std::uint64_t epoch, std::uint64_t index) {
  const auto view = [](const nb::bytes& held) {
    return std::span(reinterpret_cast<const std::byte*>(held.c_str()), held.size());
  };
  const std::span<const std::byte> image = view(bytes), points = view(seek_points);
  const Recipe& recipe = transformer.recipe();
  const nb::gil_scoped_release release;
  std::vector<std::byte> out(recipe.bytes_per_sample());
  transformer.run({.bytes = image, .seek_points = points, .seed = seed, .epoch = epoch, .index = index}, out);
  return array_of(std::move(out), recipe.shape(), array_type(recipe.dtype()));
}

}  // namespace

void bind_recipe(nb::module_& module) {
  nb::class_<Recipe>(module, "Recipe")
      .def_static(
          "parse", [](const std::string& words) { return Recipe::parse(words); }, nb::arg("text"))
      .def("to_string", &Recipe::to_string)
      .def_prop_ro("shape", &Recipe::shape)
      .def_prop_ro("dtype", [](const Recipe& recipe) { return text(to_string(recipe.dtype())); })
      .def_prop_ro("layout", [](const Recipe& recipe) { return text(to_string(recipe.layout())); })
      .def_prop_ro("is_array", &Recipe::is_array);
  nb::class_<Transformer>(module, "Transformer")
      .def(
          "__init__",
          [](Transformer* self, const Recipe& recipe, const std::string& pixels, std::uint64_t max_pixels) {
            new (self)
                Transformer(recipe, {.pixels = named("pixels", pixels, {PixelMode::exact, PixelMode::fast}),
                                     .max_pixels = max_pixels});
          },
          nb::arg("recipe"), nb::arg("pixels"), nb::arg("max_pixels"))
      .def("run", &run, nb::arg("data"), nb::arg("seek_points"), nb::arg("seed"), nb::arg("epoch"),
           nb::arg("index"), nb::lock_self());
}

}  // namespace stoker::python
