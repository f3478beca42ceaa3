// stoker/image.hpp
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <optional>
#include <tuple>

#include "stoker/image.hpp"

#include "bindings.hpp"

namespace stoker::python {
namespace {

using Box = std::tuple<int, int, int, int>;  // x, y, width, height

std::span<const std::byte> view_of(const nb::bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
}

std::optional<Rect> rect_of(const std::optional<Box>& box) {
  if (!box) return std::nullopt;
  const auto [x, y, width, height] = *box;
  return Rect{x, y, width, height};
}

Array decode(const nb::bytes& bytes, const std::optional<Box>& crop,
             const std::optional<std::tuple<int, int>>& resize, const std::optional<Box>& window,
             const std::string& filter, const std::string& pixels, std::uint64_t max_pixels) {
  DecodeSpec spec{.crop = rect_of(crop), .window = rect_of(window), .max_pixels = max_pixels};
  if (resize) spec.resize = Size{std::get<0>(*resize), std::get<1>(*resize)};
  spec.filter = named("filter", filter, {Filter::bilinear, Filter::bicubic});
  spec.pixels = named("pixels", pixels, {PixelMode::exact, PixelMode::fast});
  const std::span<const std::byte> view = view_of(bytes);
  const nb::gil_scoped_release release;
  Image image = decode_image(view, spec);
  const auto height = static_cast<std::size_t>(image.height), width = static_cast<std::size_t>(image.width);
  return array_of(std::move(image.rgb), {height, width, 3}, ArrayType::u8);
}

nb::dict info(const nb::bytes& bytes) {
  const ImageInfo found = read_image_info(view_of(bytes));
  nb::dict out;
  out["kind"] = text(to_string(found.kind));
  out["process"] = text(found.process);
  out["width"] = found.width;
  out["height"] = found.height;
  out["components"] = found.components;
  out["sampling"] = text(found.sampling);
  out["restart_interval"] = found.restart_interval;
  out["orientation"] = found.orientation;
  return out;
}

}  // namespace

void bind_images(nb::module_& module) {
  module.attr("default_max_pixels") = kDefaultMaxPixels;
  module.def("decode", &decode, nb::arg("data"), nb::arg("crop").none(), nb::arg("resize").none(),
             nb::arg("window").none(), nb::arg("filter"), nb::arg("pixels"), nb::arg("max_pixels"));
  module.def("image_info", &info, nb::arg("data"));
}

}  // namespace stoker::python
