// TrainOptions checked, and what follows from them alone.
#pragma once

#include <string>

#include "stoker/train.hpp"

#include "base/result.hpp"

namespace stoker::training {

// Errors: invalid_argument, naming the option as on the command line, what was found and what is allowed.
Result<void> check_options(const TrainOptions& options);

// The recipe texts of training and evaluation: f32, channels last, normalised as ImageNet's pictures.
std::string train_recipe(const TrainOptions& options);
// Evaluation keeps an eighth more than the picture that is wanted on the short side, and crops its centre.
std::string eval_recipe(const TrainOptions& options);

// Compute threads for `options` where `allowed` CPUs may be used: at least one.
int compute_threads(const TrainOptions& options, int allowed);

}  // namespace stoker::training
