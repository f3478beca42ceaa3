#include "stoker/train.hpp"

#include <span>

#include "stoker/store.hpp"

#include "base/result.hpp"
#include "train/backend.hpp"
#include "train/checkpoint.hpp"
#include "train/loop.hpp"
#include "train/settings.hpp"

namespace stoker {

TrainReport train(const TrainOptions& given, const TrainCallbacks& callbacks, const std::atomic<bool>* stop) {
  const TrainOptions options = training::with_defaults(given);
  value_or_throw(training::check_options(options));
  const training::TrainLibrary* library = value_or_throw(training::open_library());
  if (options.gpu) library->open_gpu(*options.gpu);  // what is wrong with it is told before data is read
  return training::run_training(options, library->make_learner,
                                open_store(options.model_prefix.empty() ? "." : options.model_prefix),
                                callbacks, stop);
}

ExportReport export_weights(const std::string& checkpoint, const std::string& destination, bool averaged) {
  const training::TrainLibrary* library = value_or_throw(training::open_library());
  const training::Checkpoint from =
      value_or_throw(training::read_checkpoint(*open_store(checkpoint), checkpoint));
  const std::string bytes = library->export_weights(from.learner, averaged);
  const std::shared_ptr<Store> store = open_store(destination);
  if (store->info(destination) && training::is_checkpoint(*store, destination))
    throw Error(ErrorCode::invalid_argument, {.operation = "export weights",
                                              .object = destination,
                                              .found = "a checkpoint, which would be lost",
                                              .next_step = "give another name"});
  const std::unique_ptr<WritableFile> file = store->create(destination);
  file->append(std::as_bytes(std::span(bytes)));
  file->commit();
  return {.network = "resnet-" + std::to_string(from.header.network.num_layers),
          .num_classes = from.header.network.num_classes,
          .steps = from.header.position.step,
          .bytes = bytes.size()};
}

bool train_available() { return !training::find_library().empty(); }

}  // namespace stoker
