// A list of steps as text, taken apart: `name(value, value, option=value) name …`. Recipes and the steps of
// --precompute are written so.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace stoker {

// What errors name.
struct StepGrammar {
  std::string_view operation;  // "read recipe"
  std::string_view example;    // two steps: "resize(256) center_crop(224)"
};

// `name(value, value, option=value)`; the views point into the text.
struct StepText {
  std::string_view name;
  std::string_view whole;  // with its brackets, for messages
  std::vector<std::string_view> values;
  std::vector<std::pair<std::string_view, std::string_view>> options;
};

// Splits at blanks outside of brackets. Errors (thrown): invalid_argument.
std::vector<StepText> split_steps(std::string_view text, const StepGrammar& grammar);

}  // namespace stoker
