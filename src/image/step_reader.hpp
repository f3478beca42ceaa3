// Reads one step of a recipe.
#pragma once

#include <string_view>

#include "stoker/image.hpp"

#include "base/step_reader.hpp"

namespace stoker::image {

// Largest side of a picture that a recipe may ask for.
inline constexpr int kMaxSide = 16384;

inline constexpr StepGrammar kRecipeGrammar{.operation = "read recipe",
                                            .example = "resize(256) center_crop(224)"};

// Errors as of StepReader.
class RecipeReader : public StepReader {
 public:
  explicit RecipeReader(const StepText& step) : StepReader(step, kRecipeGrammar) {}

  // "224" (a square) or "320x240" (width x height), each 1..kMaxSide; required. `alone` tells which of the
  // two it was.
  Size size(std::string_view option, bool* alone = nullptr);
  Filter filter(std::string_view option, Filter otherwise);
};

}  // namespace stoker::image
