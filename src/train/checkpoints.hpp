// The checkpoints that a running training writes, beside its steps.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/error.hpp"
#include "stoker/train.hpp"

#include "train/checkpoint_folder.hpp"

namespace stoker::training {

// Threads: one; each checkpoint is written by a thread of its own, at most one at a time.
class Checkpoints {
 public:
  Checkpoints(const TrainOptions& options, std::shared_ptr<Store> store);
  ~Checkpoints();

  bool wanted() const { return folder_.has_value(); }
  // The one to begin with, as the options ask. `notes`: what was passed over. Errors: not_found
  // (--load-epoch; those that there are), corrupt_data (that one), invalid_argument (older checkpoints lie
  // under the prefix, and nothing says that they be gone on with), the store's.
  std::optional<Checkpoint> choose(std::vector<std::string>& notes) const;

  // Whether the interval since the last one is over, at `step`.
  bool due(std::uint64_t step) const;
  // Begins to write one; waits for the one before. What failed meanwhile is told by take_failure().
  void write(CheckpointHeader header, std::unique_ptr<LearnerState> learner, std::optional<int> best_epoch);
  // Waits until all is written.
  void finish();
  // The error of a write that failed, once.
  std::optional<Error> take_failure();
  const std::string& last_written() const { return last_written_; }

 private:
  const TrainOptions& options_;
  std::optional<CheckpointFolder> folder_;
  std::chrono::steady_clock::time_point last_begin_ = std::chrono::steady_clock::now();
  std::future<std::optional<Error>> writing_;
  std::string writing_path_, last_written_;
  std::optional<Error> failure_;
};

}  // namespace stoker::training
