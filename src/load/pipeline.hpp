// The moving parts of a loader: readers that run ahead, workers that decode into the batch ring, ordered
// delivery.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "image/transform.hpp"
#include "load/counters_page.hpp"
#include "load/order.hpp"
#include "load/read_pool.hpp"
#include "load/sample_maker.hpp"
#include "load/seek_learner.hpp"
#include "load/slot.hpp"

namespace stoker::load {

// Everything runs by sequence numbers: slot after slot of this rank's batches, on through the epochs, from
// where restart() put it. A reader takes the next number to read, a worker the next number to decode; it
// waits for that number's bytes and writes them into that number's place. So whoever does it, the same bytes
// lie in the same places.
//
// Threads: one consumer calls restart(), take() and set_active(); handles may be dropped anywhere.
// Lives as long as any of its threads and any batch that came from it; stop() ends it as a pipeline.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
 public:
  Pipeline(std::shared_ptr<const RecordReader> records, LoaderOptions options, Recipe recipe, int workers,
           std::shared_ptr<Counters> counters);

  // Errors: out_of_resources (no threads to be had); stop() is still to be called.
  void start(int active) STOKER_EXCLUDES(mutex_);
  // Ends all threads. One that hangs in a read for more than a second is left alone: it holds all that it
  // needs.
  void stop() STOKER_EXCLUDES(mutex_);
  // Drops all that is under way and all errors; the next batch is the one at `position` of `epoch`.
  void restart(std::uint64_t epoch, std::uint64_t position) STOKER_EXCLUDES(mutex_);
  // The next batch, with its troubles in slot order. Errors: the first fatal error of any thread; under
  // BadSamplePolicy::raise a bad sample's, if its batch is held up by others for half a second.
  std::shared_ptr<const BatchSlot> take(LocalCounts& counts) STOKER_EXCLUDES(mutex_);
  // How many of the workers may work.
  void set_active(int active) STOKER_EXCLUDES(mutex_);
  const StepPlan& steps() const { return steps_; }
  // What the last copy of a handle calls when it goes.
  void release(BatchSlot* slot) noexcept STOKER_EXCLUDES(mutex_);

  SeekLearner& learner() { return learner_; }

  // For tests: batches that exist, in use or not; bytes held between reading and decoding, in use or not.
  std::size_t slots_made() const STOKER_EXCLUDES(mutex_);
  std::size_t read_bytes_held() const STOKER_EXCLUDES(mutex_);

 private:
  using Clock = std::chrono::steady_clock;

  // A batch whose samples readers have begun to read.
  struct PlannedBatch {
    StepSlice slice;
    std::shared_ptr<const EpochOrder> order;
    std::uint64_t first_sequence = 0;
  };
  // The bytes of one sequence number, from when a reader takes it until a worker does.
  struct Entry {
    enum class State : std::uint8_t { empty, reading, ready };
    State state = State::empty;
    int waiter = -1;           // the worker that waits for it
    ReadItem* item = nullptr;  // null: a hollow slot
  };
  enum class Waits : std::uint8_t { no, parked, for_plan, for_bytes, for_slot };
  static constexpr std::size_t kWaitKinds = 5;
  struct Worker {
    CondVar wake;
    Waits waits = Waits::no;
  };
  struct ReadTask {
    ReadItem* item = nullptr;  // null: none
    std::uint64_t index = 0;
    std::uint64_t sequence = 0;
    std::uint64_t generation = 0;
    Clock::duration waited{};  // before it
  };
  struct DecodeTask {
    BatchSlot* batch = nullptr;  // null: none
    int slot = 0;
    ReadItem* item = nullptr;  // null: a hollow slot
    std::uint64_t generation = 0;
    std::optional<Trouble> trouble;
    Clock::duration waited{};  // before it
  };

  // pipeline_read.cpp
  void read_loop(int id);
  bool next_read(ReadTask& task, LocalCounts& counts) STOKER_EXCLUDES(mutex_);
  bool begin_read(ReadTask& task) STOKER_REQUIRES(mutex_);
  void finish_read(ReadTask& task) STOKER_REQUIRES(mutex_);
  bool may_read() STOKER_REQUIRES(mutex_);
  bool plan_next_batch() STOKER_REQUIRES(mutex_);
  std::shared_ptr<const EpochOrder> find_order(std::uint64_t epoch) const STOKER_REQUIRES(mutex_);
  bool make_order(std::uint64_t epoch) STOKER_REQUIRES(mutex_);
  bool wants_next_order() const STOKER_REQUIRES(mutex_);
  void wait_reader(ReadTask& task, LocalCounts& counts) STOKER_REQUIRES(mutex_);
  void wake_readers_if_worth() STOKER_REQUIRES(mutex_);
  bool pause(std::chrono::milliseconds duration) STOKER_EXCLUDES(mutex_);

  // pipeline_decode.cpp
  void decode_loop(int id);
  bool next_decode(int id, DecodeTask& task, LocalCounts& counts) STOKER_EXCLUDES(mutex_);
  bool begin_decode(int id, DecodeTask& task, LocalCounts& counts) STOKER_REQUIRES(mutex_);
  void finish_decode(DecodeTask& task) STOKER_REQUIRES(mutex_);
  Waits claim(int id, std::uint64_t& sequence) STOKER_REQUIRES(mutex_);
  void open_next_batch() STOKER_REQUIRES(mutex_);
  void wait_worker(int id, Waits why, DecodeTask& task, LocalCounts& counts) STOKER_REQUIRES(mutex_);
  void wake_workers(Waits why) STOKER_REQUIRES(mutex_);
  void drop_writer(BatchSlot& batch) STOKER_REQUIRES(mutex_);
  void note_trouble(const DecodeTask& task) STOKER_REQUIRES(mutex_);

  // pipeline.cpp
  void start_thread(const char* name, void (Pipeline::*body)(int), int id) STOKER_EXCLUDES(mutex_);
  // The run is over, unless restart() came in between.
  void fail(std::exception_ptr error, std::uint64_t generation) STOKER_EXCLUDES(mutex_);
  std::shared_ptr<const BatchSlot> make_handle(BatchSlot* slot);
  Entry& entry(std::uint64_t sequence) STOKER_REQUIRES(mutex_) {
    return entries_[sequence & (entries_.size() - 1)];
  }
  PlannedBatch& planned(std::uint64_t number) STOKER_REQUIRES(mutex_) {
    return planned_[number & (planned_.size() - 1)];
  }
  void wake_all() STOKER_REQUIRES(mutex_);
  void publish_depths() STOKER_REQUIRES(mutex_);
  std::size_t slots_kept() const STOKER_REQUIRES(mutex_);

  const std::shared_ptr<const RecordReader> records_;
  const LoaderOptions options_;
  const image::Transform transform_;
  const StepPlan steps_;
  const std::shared_ptr<Counters> counters_;
  SeekLearner learner_;

  mutable Mutex mutex_;
  CondVar readers_wake_;
  CondVar consumer_wake_;
  CondVar pausing_wake_;
  CondVar exit_wake_;
  std::vector<std::unique_ptr<Worker>> workers_;  // the vector never changes; what it points to is guarded
  std::array<int, kWaitKinds> waiting_ STOKER_GUARDED_BY(mutex_){};  // workers by what they wait for
  bool stopping_ STOKER_GUARDED_BY(mutex_) = false;
  int active_ STOKER_GUARDED_BY(mutex_) = 0;
  std::uint64_t generation_ STOKER_GUARDED_BY(mutex_) =
      0;  // restarts so far: what belongs to an older one is dropped
  std::uint64_t sequence_limit_ STOKER_GUARDED_BY(mutex_) = ~std::uint64_t{0};  // none from here on is begun
  std::exception_ptr fatal_ STOKER_GUARDED_BY(mutex_);
  std::optional<Trouble> first_trouble_ STOKER_GUARDED_BY(mutex_);  // under BadSamplePolicy::raise
  std::uint64_t first_trouble_sequence_ STOKER_GUARDED_BY(mutex_) = 0;
  Clock::time_point trouble_since_ STOKER_GUARDED_BY(mutex_);

  // Reading.
  std::uint64_t plan_epoch_ STOKER_GUARDED_BY(mutex_) = 0;  // where the next batch is planned
  std::uint64_t plan_position_ STOKER_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<const EpochOrder>> orders_
      STOKER_GUARDED_BY(mutex_);  // of this epoch and the next
  bool making_order_ STOKER_GUARDED_BY(mutex_) = false;
  std::vector<PlannedBatch> planned_ STOKER_GUARDED_BY(mutex_);  // a ring by batch number
  PlannedBatch reading_ STOKER_GUARDED_BY(mutex_);               // the last planned one
  std::uint64_t batches_planned_ STOKER_GUARDED_BY(mutex_) = 0;
  std::uint64_t planned_end_ STOKER_GUARDED_BY(mutex_) = 0;  // sequence number behind the last planned batch
  std::uint64_t next_read_ STOKER_GUARDED_BY(mutex_) = 0;
  std::vector<Entry> entries_ STOKER_GUARDED_BY(mutex_);  // a ring by sequence number
  std::size_t entries_used_ STOKER_GUARDED_BY(mutex_) = 0;
  std::size_t entries_ready_ STOKER_GUARDED_BY(mutex_) = 0;
  ReadPool pool_;  // guarded by mutex_, but for prepare() and trim()
  bool full_ STOKER_GUARDED_BY(mutex_) =
      false;  // readers rest until half is used up: few wake-ups, not one a sample

  // Decoding and delivery.
  std::uint64_t batches_opened_ STOKER_GUARDED_BY(mutex_) = 0;
  std::uint64_t opened_end_ STOKER_GUARDED_BY(mutex_) = 0;  // sequence number behind the last opened batch
  std::uint64_t next_decode_ STOKER_GUARDED_BY(mutex_) = 0;
  std::vector<BatchSlot*> open_ STOKER_GUARDED_BY(mutex_);  // opened, not delivered, in order
  std::vector<std::unique_ptr<BatchSlot>> slots_ STOKER_GUARDED_BY(mutex_);
  std::vector<BatchSlot*> free_slots_ STOKER_GUARDED_BY(mutex_);
  std::size_t held_ STOKER_GUARDED_BY(mutex_) = 0;  // by the consumer
  std::size_t held_peak_ STOKER_GUARDED_BY(mutex_) =
      0;  // in this stretch of deliveries, and in the one before
  std::size_t held_peak_before_ STOKER_GUARDED_BY(mutex_) = 0;
  std::uint64_t delivered_ STOKER_GUARDED_BY(mutex_) = 0;

  std::vector<std::thread> threads_;  // touched by start() and stop() alone
  std::vector<char> exited_ STOKER_GUARDED_BY(mutex_);
};

}  // namespace stoker::load
