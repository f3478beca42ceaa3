#include "train/batch_feeder.hpp"

#include <utility>

namespace stoker::training {

namespace {

constexpr int kMostInFlight = 2;

}  // namespace

BatchFeeder::BatchFeeder(BatchSource source, Learner& learner, std::uint64_t batches)
    : source_(std::move(source)), learner_(learner), stages_(learner.wants_staging()), left_(batches) {
  if (stages_) thread_ = std::thread([this] { take_ahead(); });
}

BatchFeeder::~BatchFeeder() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const TakenBatch* BatchFeeder::next() {
  current_ = {};  // its memory is given back first
  if (ended_) return nullptr;
  if (stages_) {
    current_ = wait_for_next();
  } else if (left_ > 0) {
    ended_ = true;  // should the source throw
    --left_;
    current_.batch = source_();
    ended_ = false;
  }
  ended_ = !current_.batch;
  if (current_.error) std::rethrow_exception(std::exchange(current_.error, nullptr));
  return current_.batch ? &*current_.batch : nullptr;
}

BatchFeeder::Fed BatchFeeder::wait_for_next() {
  std::unique_lock lock(mutex_);
  if (in_use_) {
    in_use_ = false;
    --in_flight_;
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return !fed_.empty(); });
  Fed next = std::move(fed_.front());
  fed_.pop_front();
  in_use_ = next.batch.has_value();
  return next;
}

// The thread: until the end, an error, or the feeder's end.
void BatchFeeder::take_ahead() {
  bool goes_on = true;
  while (goes_on) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || in_flight_ < kMostInFlight; });
      if (stop_) return;
      ++in_flight_;
    }
    Fed fed = take_and_stage();
    goes_on = fed.batch.has_value();
    {
      const std::lock_guard lock(mutex_);
      fed_.push_back(std::move(fed));
    }
    changed_.notify_all();
  }
}

BatchFeeder::Fed BatchFeeder::take_and_stage() {
  Fed fed;
  if (left_ == 0) return fed;
  --left_;
  try {
    fed.batch = source_();
    if (!fed.batch) return fed;
    fed.staged = learner_.stage(fed.batch->view);
    fed.batch->view.staged = fed.staged.get();
    fed.batch->view.images = nullptr;
    fed.batch->memory = {};  // the loader may fill it anew
  } catch (...) {
    fed.batch.reset();
    fed.error = std::current_exception();
  }
  return fed;
}

}  // namespace stoker::training
