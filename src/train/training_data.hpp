// What a training reads: the two sources, their loaders, and labels as classes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/loader.hpp"
#include "stoker/train.hpp"

#include "train/batch_feeder.hpp"
#include "train/classes.hpp"

namespace stoker::training {

// A source that was opened, and the batches made of it.
struct Side {
  std::string source;
  std::shared_ptr<const RecordReader> reader;
  std::optional<Loader> loader;

  NamedRecords records() const { return {source, reader.get()}; }
};

// Threads: one. Owns: the loaders; batches may outlive it.
class TrainingData {
 public:
  // Opens and checks both sources. `notes` gets what people should know of them. Errors: as stoker::train().
  TrainingData(const TrainOptions& options, const std::atomic<bool>* stop, std::vector<std::string>& notes);

  // Makes the training's loader stand before the first batch of `epoch`, with pictures of that epoch's size.
  void begin_epoch(int epoch);
  // The same, in the middle of an epoch. Errors: invalid_argument (a state of another dataset or seed).
  void restore(int epoch, const std::string& loader_state);

  int num_classes() const { return num_classes_; }
  std::uint64_t batches_per_epoch() const { return train.loader->steps_per_epoch(); }
  bool evaluates() const { return val.reader != nullptr; }
  // The batches that follow of a side, with their classes; slots that take no part have kLeftOut. For as long
  // as this lives and the side's loader is not made anew. Errors of the source: the loader's,
  // invalid_argument (a label out of range: the record is named).
  BatchSource source(Side& side, bool substitutes_count) const;
  void note_bad_samples(std::vector<std::string>& notes) const;
  // Who decoded what, where seek points had a part in it.
  void note_decodes(std::vector<std::string>& notes) const;

  Side train, val;

 private:
  LoaderOptions loader_options() const;
  void make_train_loader(Size size);
  std::vector<std::int64_t> classes_of(const Batch& batch, const Side& side, bool substitutes_count) const;

  const TrainOptions& options_;
  int num_classes_ = 0;
  Size train_size_;
  DecodeCounts decoded_before_;  // by the training's loaders before the present one
};

}  // namespace stoker::training
