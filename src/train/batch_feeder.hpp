// Batches on their way from a loader to a learner, in order, and where its device has a memory of its own
// copied there ahead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "stoker/loader.hpp"

#include "train/learner.hpp"

namespace stoker::training {

// A batch as it came from a loader.
struct TakenBatch {
  LearnerBatch view;                 // of what follows
  std::vector<std::int64_t> labels;  // one of each slot
  Batch memory;                      // holds the pixels
  LoaderState behind;                // where the loader stood when it had given this
};

// The next batch of a loader; empty at its end.
using BatchSource = std::function<std::optional<TakenBatch>()>;

// Where the learner wants no staging, next() takes from the source. Else a thread takes from it and stages,
// while the learner works on the batch before: there are two copies at any time, the one in use and the next.
// Threads: made and used by the learner's; the source is called by one thread alone, and by none when the
// feeder is gone. Errors: the source's and stage()'s, in the place of their batch; behind them is the end.
class BatchFeeder {
 public:
  // Takes `batches` at most. `learner` outlives this.
  BatchFeeder(BatchSource source, Learner& learner, std::uint64_t batches);
  ~BatchFeeder();
  BatchFeeder(const BatchFeeder&) = delete;
  BatchFeeder& operator=(const BatchFeeder&) = delete;

  // The next batch, or nothing at the end. Valid until the next call.
  const TakenBatch* next();

 private:
  struct Fed {
    std::optional<TakenBatch> batch;  // empty: the end
    std::unique_ptr<StagedBatch> staged;
    std::exception_ptr error;
  };
  void take_ahead();
  Fed take_and_stage();
  Fed wait_for_next();

  BatchSource source_;
  Learner& learner_;
  const bool stages_;
  std::uint64_t left_;  // to take; of the thread's, where there is one
  Fed current_;
  bool ended_ = false;
  bool in_use_ = false;  // whether what next() gave last counts as in flight

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Fed> fed_;
  int in_flight_ = 0;  // staged or being staged, the one in use included
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace stoker::training
