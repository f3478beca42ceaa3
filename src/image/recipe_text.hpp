// The text of a recipe taken apart: names, positional values, options.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stoker::image {

// `name(value, value, option=value)`; the views point into the recipe's text.
struct StepText {
  std::string_view name;
  std::string_view whole;  // with its brackets, for messages
  std::vector<std::string_view> values;
  std::vector<std::pair<std::string_view, std::string_view>> options;
};

// Splits at blanks outside of brackets. Errors (thrown): invalid_argument.
std::vector<StepText> split_recipe(std::string_view text);

}  // namespace stoker::image
