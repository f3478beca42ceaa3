// The pipeline's readers: samples in the order in which they will be wanted, as far ahead as memory allows.
#include <algorithm>
#include <utility>

#include "load/pipeline.hpp"

namespace stoker::load {

namespace {

// Orders of fewer samples are made when they are wanted: it takes a millisecond.
constexpr std::uint64_t kOrderMadeAhead = 1 << 16;
constexpr std::chrono::milliseconds kLongestSleep{250};  // so that counters stay fresh while a thread waits

}  // namespace

void Pipeline::read_loop(int /*id*/) {
  LocalCounts counts(*counters_);
  const Pause pause_reads = [this](std::chrono::milliseconds duration) { return pause(duration); };
  ReadTask task;
  auto before = Clock::now();
  for (;;) {
    try {
      while (next_read(task, counts)) {
        const auto begin = Clock::now();
        pool_.prepare(*task.item);
        task.item->error = read_sample(*records_, task.index, task.item->sample, pause_reads);
        const auto end = Clock::now();
        StageDelta& read = counts[Stage::read];
        ++read.items;
        read.busy += end - begin;
        if (!task.item->error) read.bytes += task.item->sample.main().size();
        counts[Stage::deliver].busy += begin - before - task.waited;
        before = end;
        counts.flush_if_due(end);
      }
      return;
    } catch (...) {
      if (task.item) {
        task.item->error = Error(ErrorCode::cancelled, {.operation = "read", .found = "the run is over"});
      }
      fail(std::current_exception(), task.generation);
    }
  }
}

bool Pipeline::next_read(ReadTask& task, LocalCounts& counts) {
  const MutexLock lock(mutex_);
  if (task.item) finish_read(task);
  task.generation = generation_;
  task.waited = {};
  while (!stopping_) {
    if (!may_read()) {
      wait_reader(task, counts);
      continue;
    }
    if (wants_next_order()) {
      make_order(plan_epoch_ + 1);
      continue;
    }
    if (next_read_ == planned_end_) {
      if (!plan_next_batch()) wait_reader(task, counts);
      continue;
    }
    if (begin_read(task)) return true;
  }
  return false;
}

// Takes the next sequence number; false if it needs no reading.
bool Pipeline::begin_read(ReadTask& task) {
  const PlannedBatch& batch = reading_;
  const int slot = static_cast<int>(next_read_ - batch.first_sequence);
  Entry& place = entry(next_read_);
  ++entries_used_;
  if (batch.slice.is_hollow(slot)) {
    place.state = Entry::State::ready;
    ++entries_ready_;
    if (place.waiter >= 0) workers_[static_cast<std::size_t>(place.waiter)]->wake.notify_one();
    ++next_read_;
    return false;
  }
  place.state = Entry::State::reading;
  place.item = pool_.take();
  task.item = place.item;
  task.index = batch.order->at(batch.slice.position(slot, batch.order->size()));
  task.sequence = next_read_++;
  task.generation = generation_;
  return true;
}

void Pipeline::finish_read(ReadTask& task) {
  ReadItem* item = std::exchange(task.item, nullptr);
  pool_.recount(*item);
  if (task.generation != generation_) {  // nobody wants it any more
    pool_.give_back(item);
    wake_readers_if_worth();
    return;
  }
  Entry& place = entry(task.sequence);
  place.state = Entry::State::ready;
  ++entries_ready_;
  if (place.waiter >= 0) workers_[static_cast<std::size_t>(place.waiter)]->wake.notify_one();
}

bool Pipeline::may_read() {
  if (full_ || next_read_ >= sequence_limit_) return false;
  full_ = entry(next_read_).state != Entry::State::empty ||
          batches_planned_ - batches_opened_ >= planned_.size() || !pool_.has_room();
  return !full_;
}

// False if the epoch's order is still being made by another reader.
bool Pipeline::plan_next_batch() {
  if (!steps_.has_step(plan_position_)) {
    ++plan_epoch_;
    plan_position_ = 0;
  }
  std::shared_ptr<const EpochOrder> order = find_order(plan_epoch_);
  if (!order) return make_order(plan_epoch_);
  reading_ = {steps_.slice(plan_position_), std::move(order), planned_end_};
  plan_position_ = reading_.slice.next_position;
  planned_end_ += static_cast<std::uint64_t>(reading_.slice.slots());
  planned(batches_planned_++) = reading_;
  wake_workers(Waits::for_plan);
  return true;
}

std::shared_ptr<const EpochOrder> Pipeline::find_order(std::uint64_t epoch) const {
  const auto found = std::find_if(orders_.begin(), orders_.end(),
                                  [&](const auto& order) { return order->epoch() == epoch; });
  return found == orders_.end() ? nullptr : *found;
}

// Shuffles outside of the lock, so that nobody else has to wait for it. False if another reader does so
// already.
bool Pipeline::make_order(std::uint64_t epoch) {
  if (making_order_) return false;
  making_order_ = true;
  mutex_.unlock();
  std::shared_ptr<const EpochOrder> order;
  std::exception_ptr error;
  try {
    order = std::make_shared<EpochOrder>(steps_.size(), options_.shuffle, options_.seed, epoch);
  } catch (...) {
    error = std::current_exception();
  }
  mutex_.lock();
  making_order_ = false;
  readers_wake_.notify_all();
  if (error) std::rethrow_exception(error);
  const std::uint64_t first = plan_epoch_;
  std::erase_if(orders_,
                [first](const auto& old) { return old->epoch() < first || old->epoch() > first + 1; });
  orders_.push_back(std::move(order));
  return true;
}

// The next epoch's order is made when this one is half planned: no batch has to wait for it at the border.
bool Pipeline::wants_next_order() const {
  if (!options_.shuffle || steps_.size() < kOrderMadeAhead || making_order_) return false;
  return plan_position_ > steps_.size() / 2 && !find_order(plan_epoch_ + 1);
}

void Pipeline::wait_reader(ReadTask& task, LocalCounts& counts) {
  counts.flush();
  publish_depths();
  const auto begin = Clock::now();
  readers_wake_.wait_for(mutex_, kLongestSleep);
  const auto took = Clock::now() - begin;
  task.waited += took;
  counts[Stage::read].blocked_on_output += took;
}

void Pipeline::wake_readers_if_worth() {
  if (!full_ || !pool_.half_empty() || entries_used_ > entries_.size() / 2 ||
      batches_planned_ - batches_opened_ > planned_.size() / 2) {
    return;
  }
  full_ = false;
  readers_wake_.notify_all();
}

bool Pipeline::pause(std::chrono::milliseconds duration) {
  const MutexLock lock(mutex_);
  const auto end = Clock::now() + duration;
  for (auto now = Clock::now(); !stopping_ && now < end; now = Clock::now())
    pausing_wake_.wait_for(mutex_, end - now);
  return !stopping_;
}

}  // namespace stoker::load
