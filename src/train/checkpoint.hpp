// A checkpoint: where a training stands, and what its learner had learned. One file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stoker/store.hpp"
#include "stoker/train.hpp"

#include "base/result.hpp"
#include "train/learner.hpp"
#include "train/progress.hpp"

namespace stoker::training {

// More are taken for damage.
inline constexpr int kMostEpochs = 1'000'000'000;

// Where a training stands between two steps.
struct Position {
  std::uint64_t step = 0;        // steps done since the beginning
  int epoch = 0;                 // epochs trained to their end
  std::uint64_t epoch_step = 0;  // steps done in the epoch behind them
  int epochs_evaluated = 0;
  std::string loader;  // LoaderState's text in the middle of an epoch; else empty
};

// What was counted so far, all runs together.
struct History {
  Stretch training;
  Goodput goodput;
  double wall_s = 0;
  std::vector<TrainLine> evaluations;
};

struct CheckpointHeader {
  NetworkSpec network;
  bool averaged = false;  // with a running mean of the weights
  Position position;
  History history;
  // The options that shape what is learned, as on the command line: name, value.
  std::vector<std::pair<std::string, std::string>> settings;
};

struct Checkpoint {
  CheckpointHeader header;
  std::string learner;  // what Learner::restore() takes
};

// Source: docs/formats/checkpoint.md.
// Appends one to `file`. Errors: the file's.
void write_checkpoint(WritableFile& file, const CheckpointHeader& header, std::string_view learner);
// Whether a file begins as one.
bool is_checkpoint(std::string_view bytes);
// Errors: the store's.
bool is_checkpoint(Store& store, const std::string& path);
// Errors: corrupt_data (cut short, checksums, fields: says what), unsupported (a later version), the store's.
Result<Checkpoint> read_checkpoint(Store& store, const std::string& path);

}  // namespace stoker::training
