// TrainOptions checked, and what follows from them alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stoker/recipe.hpp"
#include "stoker/train.hpp"

#include "base/result.hpp"

namespace stoker::training {

// Whether the network is one of those for small images.
bool is_small_network(int num_layers);

// The options with every empty field filled by what the network is usually trained with.
TrainOptions with_defaults(TrainOptions options);

// Of options with_defaults(). Errors: invalid_argument, naming the option as on the command line, what was
// found and what is allowed.
Result<void> check_options(const TrainOptions& options);

// The size of the pictures that `epoch` trains on, and the largest of all epochs, which evaluation uses.
Size size_of_epoch(const TrainOptions& options, int epoch);
Size largest_size(const TrainOptions& options);

// What pictures are normalised with, by the loader or on the GPU.
inline constexpr Normalize kImageNetStatistics{.mean = {0.485F, 0.456F, 0.406F},
                                               .std = {0.229F, 0.224F, 0.225F}};

// The recipe texts of training and evaluation, channels last: normalised f32, or for a GPU bytes, which it
// normalises itself.
std::string train_recipe(const TrainOptions& options, Size size);
// Evaluation keeps on the short side 8/7 of what is wanted (256 for 224), and crops its centre.
std::string eval_recipe(const TrainOptions& options, Size size);

// The options that shape what is learned: name, value. Equal lists give equal trainings.
std::vector<std::pair<std::string, std::string>> shaping_settings(const TrainOptions& options);

// Compute threads for `options` where `allowed` CPUs may be used: at least one.
int compute_threads(const TrainOptions& options, int allowed);

}  // namespace stoker::training
