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
#include "train/prefix_lock.hpp"

namespace stoker::training {

// Threads: one; each checkpoint is written by a thread of its own, at most one at a time.
class Checkpoints {
 public:
  // Takes the prefix for this training, and tries whether it can be written to. Errors: unavailable (another
  // training writes under it), the store's.
  Checkpoints(const TrainOptions& options, std::shared_ptr<Store> store);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  bool wanted() const { return folder_.has_value(); }
  // The one to begin with, as the options ask. `notes`: what was passed over. Errors: not_found
  // (--load-epoch; those that there are), corrupt_data (that one), invalid_argument (later checkpoints lie
  // under the prefix, and nothing says that they be gone on with), the store's.
  std::optional<Checkpoint> choose(std::vector<std::string>& notes) const;

  // Whether the interval since the last one is over, at `step`.
  bool due(std::uint64_t step) const;
  // Begins to write one; waits for the one before. What failed meanwhile is told by take_troubles().
  void write(CheckpointHeader header, std::unique_ptr<LearnerState> learner, std::optional<int> best_epoch);
  // The weights behind `step` steps gave a loss that is a number: checkpoints up to there are good.
  void prove(std::uint64_t step);
  // The loss behind the last one written was no number: removes it, so that the good one before is the
  // newest. Never fails.
  void discard_unproven();
  // The last one written is good: only as many as asked for, and the best, stay.
  void prune(const Position& newest, std::optional<int> best_epoch);
  // Waits until all is written.
  void finish();
  // Sentences about what failed since the last call. Never waits.
  std::vector<std::string> take_troubles();
  // Of the last write, if it failed.
  const std::optional<Error>& last_failure() const { return failure_; }
  const std::string& last_written() const { return last_written_.path; }

 private:
  struct Outcome {
    std::optional<Error> write, prune;
  };
  static Outcome write_one(const CheckpointFolder& folder, const CheckpointHeader& header,
                           const LearnerState& learner, int keep, const std::vector<std::string>& kept);
  void collect();

  const TrainOptions& options_;
  std::optional<CheckpointFolder> folder_;
  std::optional<PrefixLock> lock_;
  std::chrono::steady_clock::time_point last_begin_ = std::chrono::steady_clock::now();
  std::future<Outcome> writing_;
  struct Written {
    std::string path;
    std::uint64_t step = 0;
  };
  Written being_written_, last_written_;
  std::string proven_;  // the newest that is known to be good
  std::uint64_t good_step_ = 0;
  std::optional<Error> failure_;
  std::vector<std::string> troubles_;
};

}  // namespace stoker::training
