// The training loop: batches from loaders into a learner, lines and a report out of it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "stoker/store.hpp"
#include "stoker/train.hpp"

#include "train/learner.hpp"

namespace stoker::training {

using LearnerFactory = std::function<std::unique_ptr<Learner>(const LearnerSpec&)>;

// stoker::train() with the learner given, and the store where checkpoints lie; `options`
// have their defaults and were checked. Errors: as stoker::train(), and invalid_argument where the loss stops
// being a number.
TrainReport run_training(const TrainOptions& options, const LearnerFactory& make_learner,
                         const std::shared_ptr<Store>& store, const TrainCallbacks& callbacks,
                         const std::atomic<bool>* stop);

}  // namespace stoker::training
