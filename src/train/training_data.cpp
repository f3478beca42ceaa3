#include "train/training_data.hpp"

#include <fmt/format.h>

#include "base/result.hpp"
#include "train/learner.hpp"
#include "train/settings.hpp"

namespace stoker::training {

namespace {

void note_labels(const Side& side, int num_classes, std::vector<std::string>& notes) {
  const std::size_t labels = value_or_throw(check_labels(side.records(), num_classes));
  if (labels > 1)
    notes.push_back(fmt::format("{}: its records carry up to {} labels; the first of each is its class",
                                side.source, labels));
}

void note_bad(const Side& side, std::vector<std::string>& notes) {
  const std::uint64_t count = side.loader ? side.loader->bad_sample_count() : 0;
  if (count == 0) return;
  const BadRecord first = side.loader->bad_samples().front();
  std::string place = first.container;
  if (first.offset > 0) place += fmt::format(" at offset {}", first.offset);
  if (!first.key.empty()) place += fmt::format(" (key {})", first.key);
  notes.push_back(fmt::format("{}: {} bad in all epochs together; the first was {}: {}", side.source,
                              count == 1 ? "1 sample was" : fmt::format("{} samples were", count), place,
                              first.reason));
}

void note_decodes_of(const Side& side, const DecodeCounts& counts, std::vector<std::string>& notes) {
  if (const std::string text = to_string(counts); !text.empty())
    notes.push_back(fmt::format("{}: {}", side.source, text));
}

}  // namespace

TrainingData::TrainingData(const TrainOptions& options, const std::atomic<bool>* stop,
                           std::vector<std::string>& notes)
    : options_(options) {
  train.source = options.data_train;
  train.reader = open_records(options.data_train, options.open);
  if (!options.data_val.empty()) {
    val.source = options.data_val;
    val.reader = open_records(options.data_val, options.open);
    value_or_throw(check_class_maps(train.records(), val.records()));
  }
  value_or_throw(check_not_empty(train.records()));
  if (val.reader) value_or_throw(check_not_empty(val.records()));
  num_classes_ = value_or_throw(count_classes(train.records(), options.num_classes, stop));
  note_labels(train, num_classes_, notes);
  if (val.reader) note_labels(val, num_classes_, notes);
  if (options.top_k > num_classes_)
    throw Error(ErrorCode::invalid_argument,
                {.object = "--top-k",
                 .found = fmt::format("{}", options.top_k),
                 .allowed = fmt::format("{} at most: the classes there are", num_classes_)});
  make_train_loader(size_of_epoch(options, 0));
  if (!val.reader) return;
  LoaderOptions loader = loader_options();
  loader.recipe = eval_recipe(options, largest_size(options));
  loader.shuffle = false;
  loader.last_batch = LastBatchPolicy::keep;
  loader.publish_counters = false;  // one file a process: the training's
  val.loader.emplace(val.reader, loader);
}

LoaderOptions TrainingData::loader_options() const {
  LoaderOptions loader;
  loader.batch_size = options_.batch_size;
  loader.seed = options_.seed;
  loader.threads = options_.data_nthreads;
  loader.bad_sample = options_.bad_sample;
  loader.max_bad_share = options_.max_bad_share;
  loader.max_pixels = options_.max_pixels;
  loader.learn = options_.learn;
  return loader;
}

void TrainingData::make_train_loader(Size size) {
  LoaderOptions loader = loader_options();
  loader.recipe = train_recipe(options_, size);
  loader.pixels = options_.pixels;
  // The remainder of an epoch is another one each time; a step on few images is noise at the full learning
  // rate.
  const bool fills_a_batch = train.reader->size() >= static_cast<std::size_t>(options_.batch_size);
  loader.last_batch = fills_a_batch ? LastBatchPolicy::drop : LastBatchPolicy::keep;
  if (train.loader) decoded_before_ += train.loader->decode_counts();
  train.loader.reset();  // its threads and memory go first
  train.loader.emplace(train.reader, loader);
  train_size_ = size;
}

void TrainingData::begin_epoch(int epoch) {
  const Size size = size_of_epoch(options_, epoch);
  if (!(size == train_size_)) make_train_loader(size);
  train.loader->set_epoch(static_cast<std::uint64_t>(epoch));
}

void TrainingData::restore(int epoch, const std::string& loader_state) {
  begin_epoch(epoch);
  train.loader->restore(LoaderState::parse(loader_state));
}

BatchSource TrainingData::source(Side& side, bool substitutes_count) const {
  return [this, &side, substitutes_count]() -> std::optional<TakenBatch> {
    std::optional<TakenBatch> taken(std::in_place);
    taken->memory = side.loader->next();
    const Batch& batch = taken->memory;
    if (!batch) return std::nullopt;
    taken->labels = classes_of(batch, side, substitutes_count);
    taken->view = {.size = batch.size(),
                   .image_size = batch.image_size(),
                   .images = batch.images(),
                   .labels = taken->labels,
                   .dtype = batch.dtype()};
    taken->behind = side.loader->state();
    return taken;
  };
}

std::vector<std::int64_t> TrainingData::classes_of(const Batch& batch, const Side& side,
                                                   bool substitutes_count) const {
  std::vector<std::int64_t> classes(static_cast<std::size_t>(batch.size()));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const SampleStatus status = batch.statuses()[i];
    const bool counts = status == SampleStatus::ok || status == SampleStatus::warned ||
                        (status == SampleStatus::substituted && substitutes_count);
    classes[i] = !counts ? kLeftOut
                         : value_or_throw(class_of(batch.labels()[i], num_classes_, side.records(),
                                                   batch.indices()[i], batch.keys()[i]));
  }
  return classes;
}

void TrainingData::note_bad_samples(std::vector<std::string>& notes) const {
  note_bad(train, notes);
  note_bad(val, notes);
}

void TrainingData::note_decodes(std::vector<std::string>& notes) const {
  DecodeCounts of_training = decoded_before_;
  if (train.loader) of_training += train.loader->decode_counts();
  note_decodes_of(train, of_training, notes);
  if (val.loader) note_decodes_of(val, val.loader->decode_counts(), notes);
}

}  // namespace stoker::training
