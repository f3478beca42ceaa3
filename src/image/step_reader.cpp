#include "image/step_reader.hpp"

#include <array>
#include <fmt/format.h>
#include <optional>

namespace stoker::image {

Size RecipeReader::size(std::string_view option, bool* alone) {
  const std::string allowed = fmt::format("a side N or WIDTHxHEIGHT, each 1..{}: {}(224), {}(320x240)",
                                          kMaxSide, step().name, step().name);
  const std::optional<std::string_view> text = take(option);
  if (!text) refuse("no size", allowed);
  const std::size_t cross = text->find('x');
  const std::optional<int> width = whole_number(text->substr(0, cross));
  const std::optional<int> height =
      cross == std::string_view::npos ? width : whole_number(text->substr(cross + 1));
  if (!width || !height || *width < 1 || *width > kMaxSide || *height < 1 || *height > kMaxSide) {
    refuse(fmt::format("{}={}", option, *text), allowed);
  }
  if (alone) *alone = cross == std::string_view::npos;
  return {*width, *height};
}

Filter RecipeReader::filter(std::string_view option, Filter otherwise) {
  static constexpr std::array<std::string_view, 2> kNames = {"bilinear", "bicubic"};
  static_assert(static_cast<int>(Filter::bilinear) == 0 && static_cast<int>(Filter::bicubic) == 1);
  return static_cast<Filter>(choice(option, kNames, static_cast<std::size_t>(otherwise)));
}

}  // namespace stoker::image
