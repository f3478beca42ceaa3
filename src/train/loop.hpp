// The training loop: batches from loaders into a learner, lines and a report out of it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "stoker/train.hpp"

#include "train/learner.hpp"

namespace stoker::training {

using LearnerFactory = std::function<std::unique_ptr<Learner>(const LearnerSpec&)>;

// stoker::train() with the learner given; `options` were checked.
// Errors: as stoker::train(), and invalid_argument where the loss stops being a number.
TrainReport run_training(const TrainOptions& options, const LearnerFactory& make_learner,
                         const TrainLineCallback& report, const std::atomic<bool>* stop);

}  // namespace stoker::training
