#include "stoker/train.hpp"

#include "base/result.hpp"
#include "train/backend.hpp"
#include "train/loop.hpp"
#include "train/settings.hpp"

namespace stoker {

TrainReport train(const TrainOptions& options, const TrainLineCallback& report,
                  const std::atomic<bool>* stop) {
  value_or_throw(training::check_options(options));
  const training::TrainLibrary* library = value_or_throw(training::open_library());
  return training::run_training(options, library->make_learner, report, stop);
}

bool train_available() { return !training::find_library().empty(); }

}  // namespace stoker
