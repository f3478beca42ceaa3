// The pipeline's workers: bytes to tensors, each straight into its place in the batch ring.
#include <algorithm>
#include <new>
#include <utility>

#include "load/pipeline.hpp"

namespace stoker::load {

namespace {

constexpr std::chrono::milliseconds kLongestSleep{250};  // so that counters stay fresh while a thread waits

}  // namespace

void Pipeline::decode_loop(int id) {
  LocalCounts counts(*counters_);
  SampleMaker maker(*records_, transform_, options_, learner_,
                    [this](std::chrono::milliseconds duration) { return pause(duration); });
  DecodeTask task;
  auto before = Clock::now();
  for (;;) {
    try {
      while (next_decode(id, task, counts)) {
        MakeTimes times;
        task.trouble = maker.make(*task.batch, task.slot, task.item, times);
        if (task.item) pool_.trim(*task.item);
        const auto now = Clock::now();
        StageDelta& decode = counts[Stage::decode];
        ++decode.items;
        decode.bytes += times.bytes;
        decode.busy += times.decode;
        ++counts[Stage::transform].items;
        counts[Stage::transform].busy += times.transform;
        // What was neither waiting nor work on pixels is the loader's own cost.
        counts[Stage::deliver].busy += now - before - task.waited - times.decode - times.transform;
        before = now;
        counts.flush_if_due(now);
      }
      return;
    } catch (...) {
      fail(std::current_exception(), task.generation);
    }
  }
}

bool Pipeline::next_decode(int id, DecodeTask& task, LocalCounts& counts) {
  const MutexLock lock(mutex_);
  if (task.batch) finish_decode(task);
  task.generation = generation_;
  task.waited = {};
  while (!stopping_) {
    if (begin_decode(id, task, counts)) return true;
  }
  return false;
}

// Takes the next sequence number and waits for its bytes. False if it had to wait before, or if all was
// restarted meanwhile.
bool Pipeline::begin_decode(int id, DecodeTask& task, LocalCounts& counts) {
  std::uint64_t sequence = 0;
  task.generation = generation_;
  if (const Waits why = claim(id, sequence); why != Waits::no) {
    wait_worker(id, why, task, counts);
    return false;
  }
  BatchSlot* batch = open_.back();
  ++batch->writers;
  while (!stopping_ && task.generation == generation_ && entry(sequence).state != Entry::State::ready) {
    entry(sequence).waiter = id;
    wait_worker(id, Waits::for_bytes, task, counts);
  }
  if (stopping_ || task.generation != generation_) {
    drop_writer(*batch);
    return false;
  }
  Entry& place = entry(sequence);
  task.batch = batch;
  task.slot = static_cast<int>(sequence - batch->first_sequence);
  task.item = place.item;
  place = {};
  --entries_used_;
  --entries_ready_;
  wake_readers_if_worth();
  return true;
}

Pipeline::Waits Pipeline::claim(int id, std::uint64_t& sequence) {
  if (id >= active_) return Waits::parked;
  if (next_decode_ >= sequence_limit_) return Waits::for_plan;
  if (next_decode_ == opened_end_) {
    if (batches_opened_ == batches_planned_) return Waits::for_plan;
    if (open_.size() >= static_cast<std::size_t>(options_.batches_ahead)) return Waits::for_slot;
    open_next_batch();
  }
  sequence = next_decode_++;
  return Waits::no;
}

void Pipeline::open_next_batch() {
  if (free_slots_.empty()) {
    try {
      slots_.reserve(slots_.size() + 1);
      free_slots_.reserve(slots_.size() + 1);  // so that giving a slot back never fails
      open_.reserve(slots_.size() + 1);
      slots_.push_back(
          std::make_unique<BatchSlot>(transform_.recipe(), options_.batch_size, options_.label_width));
      free_slots_.push_back(slots_.back().get());
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::out_of_resources,
                  {.operation = "make batch",
                   .object = std::to_string(slots_.size() + 1) + " of batch_size " +
                             std::to_string(options_.batch_size),
                   .found = "no memory for it",
                   .next_step = "lower batch_size or batches_ahead, or hold fewer batches"});
    }
  }
  BatchSlot* slot = free_slots_.back();
  free_slots_.pop_back();
  PlannedBatch& batch = planned(batches_opened_++);
  slot->first_sequence = batch.first_sequence;
  slot->generation = generation_;
  slot->begin(batch.slice, std::move(batch.order));
  opened_end_ = batch.first_sequence + static_cast<std::uint64_t>(batch.slice.slots());
  open_.push_back(slot);
}

void Pipeline::finish_decode(DecodeTask& task) {
  BatchSlot& batch = *task.batch;
  if (task.item) pool_.give_back(std::exchange(task.item, nullptr));
  wake_readers_if_worth();
  if (task.generation == generation_) {
    if (task.trouble) {
      if (options_.bad_sample == BadSamplePolicy::raise) note_trouble(task);
      batch.troubles.push_back(std::move(*task.trouble));
    }
    if (--batch.unfinished == 0 && open_.front() == &batch) consumer_wake_.notify_one();
  }
  task.trouble.reset();
  task.batch = nullptr;
  drop_writer(batch);
}

// A slot of an older generation is free when its last writer has left it.
void Pipeline::drop_writer(BatchSlot& batch) {
  if (--batch.writers == 0 && batch.generation != generation_) free_slots_.push_back(&batch);
}

// The run ends with the first bad sample of the first batch that holds one: all of that batch is still made,
// so that the same sample is named however many threads there are; nothing behind it is begun.
void Pipeline::note_trouble(const DecodeTask& task) {
  const BatchSlot& batch = *task.batch;
  const std::uint64_t sequence = batch.first_sequence + static_cast<std::uint64_t>(task.slot);
  if (first_trouble_ && first_trouble_sequence_ <= sequence) return;
  if (!first_trouble_) trouble_since_ = Clock::now();
  first_trouble_ = task.trouble;
  first_trouble_sequence_ = sequence;
  sequence_limit_ = std::min(sequence_limit_, batch.first_sequence + static_cast<std::uint64_t>(batch.size));
}

void Pipeline::wait_worker(int id, Waits why, DecodeTask& task, LocalCounts& counts) {
  Worker& worker = *workers_[static_cast<std::size_t>(id)];
  counts.flush();
  publish_depths();
  worker.waits = why;
  ++waiting_[static_cast<std::size_t>(why)];
  const auto begin = Clock::now();
  worker.wake.wait_for(mutex_, kLongestSleep);
  const auto took = Clock::now() - begin;
  --waiting_[static_cast<std::size_t>(why)];
  worker.waits = Waits::no;
  task.waited += took;
  StageDelta& decode = counts[Stage::decode];
  if (why == Waits::for_slot) decode.blocked_on_output += took;
  if (why == Waits::for_plan || why == Waits::for_bytes) decode.blocked_on_input += took;
}

void Pipeline::wake_workers(Waits why) {
  if (waiting_[static_cast<std::size_t>(why)] == 0) return;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->waits == why) worker->wake.notify_one();
  }
}

}  // namespace stoker::load
