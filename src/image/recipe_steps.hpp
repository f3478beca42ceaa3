// Steps of a recipe from text and back, and the rules that a list of them must keep.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stoker/recipe.hpp"

namespace stoker::image {

// torchvision's statistics of ImageNet's training set, of values 0..1.
inline constexpr Normalize kImagenetStatistics{{0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};

// What leaves where no tensor step says it: f32 behind normalize or array, else u8; nchw.
TensorStep default_tensor(const std::vector<Step>& steps);

// The steps as written, names for whole recipes replaced by theirs; not yet checked together.
// Errors (thrown): invalid_argument.
std::vector<Step> read_steps(std::string_view text);

// One step's text, without what is default.
std::string write_step(const Step& step);

// Checks values, the order of steps, and that the size of what leaves is fixed; returns that size, 0x0 of
// arrays.
// Errors (thrown): invalid_argument.
Size check_steps(const std::vector<Step>& steps);

}  // namespace stoker::image
