#include "load/pipeline.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <pthread.h>
#include <system_error>
#include <utility>

#include "load/bad_ledger.hpp"
#include "load/options.hpp"

namespace stoker::load {

namespace {

constexpr std::size_t kFewestEntries = 1024;  // samples read ahead, if memory allows
constexpr std::size_t kMostPlanned = 4096;    // batches read ahead
constexpr std::uint64_t kPeakStretch =
    64;  // deliveries over which the consumer's hunger for slots is remembered
constexpr std::chrono::milliseconds kLongestSleep{100};
constexpr std::chrono::milliseconds kTroubleWaits{500};  // for its own batch, before it is told out of turn
constexpr std::chrono::seconds kStopWaits{1};            // for threads that hang in a read

// Puts a handle's control block into its slot, and gives the slot back when the block goes: the last that
// happens.
template <class T>
struct ControlAllocator {
  using value_type = T;
  std::shared_ptr<Pipeline> owner;
  BatchSlot* slot;

  ControlAllocator(std::shared_ptr<Pipeline> owner_, BatchSlot* slot_)
      : owner(std::move(owner_)), slot(slot_) {}
  template <class U>
  ControlAllocator(const ControlAllocator<U>& other) : owner(other.owner), slot(other.slot) {}
  T* allocate(std::size_t) {
    static_assert(sizeof(T) <= BatchSlot::kControlBytes && alignof(T) <= alignof(std::max_align_t));
    return reinterpret_cast<T*>(slot->control);
  }
  void deallocate(T*, std::size_t) noexcept { owner->release(slot); }
  template <class U>
  bool operator==(const ControlAllocator<U>& other) const {
    return slot == other.slot;
  }
};

struct KeepSlot {
  void operator()(const BatchSlot*) const {}
};

std::size_t entries_for(const LoaderOptions& options) {
  const auto ahead =
      static_cast<std::size_t>(options.batches_ahead) * static_cast<std::size_t>(options.batch_size);
  return std::bit_ceil(std::max(kFewestEntries, 2 * ahead));
}

}  // namespace

Pipeline::Pipeline(std::shared_ptr<const RecordReader> records, LoaderOptions options, Recipe recipe,
                   int workers, std::shared_ptr<Counters> counters)
    : records_(std::move(records)),
      options_(std::move(options)),
      transform_(std::move(recipe)),
      steps_(records_->size(), options_.batch_size, options_.rank, options_.world_size, options_.last_batch),
      counters_(std::move(counters)),
      learner_(records_, options_.learn),
      planned_(std::min(kMostPlanned, entries_for(options_))),
      entries_(entries_for(options_)),
      pool_(options_.read_ahead_bytes) {
  for (int worker = 0; worker < workers; ++worker) workers_.push_back(std::make_unique<Worker>());
}

void Pipeline::start(int active) {
  {
    const MutexLock lock(mutex_);
    active_ = active;
  }
  counters_->set_threads(static_cast<std::uint32_t>(active));
  const int readers = options_.read_threads > 0 ? options_.read_threads : kDefaultReadThreads;
  for (int id = 0; id < readers; ++id) start_thread("stoker-read", &Pipeline::read_loop, id);
  for (int id = 0; id < static_cast<int>(workers_.size()); ++id) {
    start_thread("stoker-decode", &Pipeline::decode_loop, id);
  }
}

void Pipeline::start_thread(const char* name, void (Pipeline::*body)(int), int id) {
  const std::size_t number = threads_.size();
  threads_.reserve(number + 1);
  {
    const MutexLock lock(mutex_);
    exited_.push_back(0);
  }
  try {
    threads_.emplace_back([self = shared_from_this(), name, body, id, number] {
      pthread_setname_np(pthread_self(), name);
      try {
        ((*self).*body)(id);
      } catch (...) {
        const MutexLock lock(self->mutex_);
        if (!self->fatal_) self->fatal_ = std::current_exception();
        self->consumer_wake_.notify_one();
      }
      const MutexLock lock(self->mutex_);
      self->exited_[number] = 1;
      self->exit_wake_.notify_one();
    });
  } catch (const std::system_error& error) {
    throw Error(ErrorCode::out_of_resources,
                {.operation = "start loader",
                 .object = "thread " + std::to_string(number + 1),
                 .found = error.what(),
                 .next_step = "lower threads, or raise the limit of processes (ulimit -u)"});
  }
}

void Pipeline::stop() {
  std::vector<std::unique_ptr<BatchSlot>> dropped;
  std::vector<char> exited;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    wake_all();
    const auto end = Clock::now() + kStopWaits;
    const auto all_left = [this]() STOKER_REQUIRES(mutex_) {
      return std::count(exited_.begin(), exited_.begin() + static_cast<std::ptrdiff_t>(threads_.size()), 1) ==
             static_cast<std::ptrdiff_t>(threads_.size());
    };
    for (auto now = Clock::now(); !all_left() && now < end; now = Clock::now())
      exit_wake_.wait_for(mutex_, end - now);
    exited = exited_;
  }
  for (std::size_t number = 0; number < threads_.size(); ++number) {
    if (exited[number]) {
      threads_[number].join();
    } else {
      threads_[number].detach();
    }
  }
  threads_.clear();
  // Handles that are still out keep this object alive, and need no more of it than their own slots.
  const MutexLock lock(mutex_);
  pool_.clear();
  orders_.clear();
  reading_.order.reset();
}

void Pipeline::restart(std::uint64_t epoch, std::uint64_t position) {
  const MutexLock lock(mutex_);
  for (BatchSlot* slot : open_) {
    if (slot->writers == 0) free_slots_.push_back(slot);  // else its last writer frees it
  }
  open_.clear();
  for (Entry& place : entries_) {
    if (place.state == Entry::State::ready && place.item)
      pool_.give_back(place.item);  // else its reader gives it back
    place = {};
  }
  for (PlannedBatch& batch : planned_) batch.order.reset();
  ++generation_;
  entries_used_ = entries_ready_ = 0;
  next_read_ = planned_end_ = batches_planned_ = 0;
  next_decode_ = opened_end_ = batches_opened_ = 0;
  plan_epoch_ = epoch;
  plan_position_ = position;
  full_ = false;
  sequence_limit_ = ~std::uint64_t{0};
  fatal_ = nullptr;
  first_trouble_.reset();
  wake_all();
}

std::shared_ptr<const BatchSlot> Pipeline::take(LocalCounts& counts) {
  const MutexLock lock(mutex_);
  for (;;) {
    if (fatal_) std::rethrow_exception(fatal_);
    if (!open_.empty() && open_.front()->unfinished == 0) break;
    if (first_trouble_ && Clock::now() - trouble_since_ >= kTroubleWaits)
      throw bad_sample_error(*first_trouble_);
    const auto begin = Clock::now();
    consumer_wake_.wait_for(mutex_, kLongestSleep);
    counts[Stage::consume].blocked_on_input += Clock::now() - begin;
    counts.flush();
  }
  BatchSlot* slot = open_.front();
  open_.erase(open_.begin());
  std::sort(slot->troubles.begin(), slot->troubles.end(),
            [](const Trouble& a, const Trouble& b) { return a.slot < b.slot; });
  held_peak_ = std::max(held_peak_, ++held_);
  if (++delivered_ % kPeakStretch == 0) held_peak_before_ = std::exchange(held_peak_, held_);
  wake_workers(Waits::for_slot);
  publish_depths();
  return make_handle(slot);
}

std::shared_ptr<const BatchSlot> Pipeline::make_handle(BatchSlot* slot) {
  return std::shared_ptr<const BatchSlot>(slot, KeepSlot{},
                                          ControlAllocator<BatchSlot>(shared_from_this(), slot));
}

void Pipeline::release(BatchSlot* slot) noexcept {
  std::unique_ptr<BatchSlot> dropped;  // freed outside of the lock
  const MutexLock lock(mutex_);
  --held_;
  if (!stopping_ && slots_.size() <= slots_kept()) {
    free_slots_.push_back(slot);  // has room: open_next_batch() saw to it
    return;
  }
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const auto& made) { return made.get() == slot; });
  std::swap(dropped, *found);
  slots_.erase(found);
}

// As many as the consumer held lately, beside those on their way: a consumer that once held many gives memory
// back.
std::size_t Pipeline::slots_kept() const {
  return static_cast<std::size_t>(options_.batches_ahead) +
         std::max({std::size_t{1}, held_peak_, held_peak_before_});
}

void Pipeline::set_active(int active) {
  const MutexLock lock(mutex_);
  active_ = active;
  counters_->set_threads(static_cast<std::uint32_t>(active));
  wake_workers(Waits::parked);
}

void Pipeline::fail(std::exception_ptr error, std::uint64_t generation) {
  const MutexLock lock(mutex_);
  if (generation != generation_) return;
  if (!fatal_) fatal_ = std::move(error);
  sequence_limit_ = 0;
  consumer_wake_.notify_one();
}

void Pipeline::wake_all() {
  for (const std::unique_ptr<Worker>& worker : workers_) worker->wake.notify_one();
  readers_wake_.notify_all();
  consumer_wake_.notify_all();
  pausing_wake_.notify_all();
}

void Pipeline::publish_depths() {
  const auto complete =
      std::count_if(open_.begin(), open_.end(), [](const BatchSlot* slot) { return slot->unfinished == 0; });
  counters_->set_depth(Stage::decode, entries_ready_);
  counters_->set_depth(Stage::consume, static_cast<std::uint64_t>(complete));
}

std::size_t Pipeline::slots_made() const {
  const MutexLock lock(mutex_);
  return slots_.size();
}

std::size_t Pipeline::read_bytes_held() const {
  const MutexLock lock(mutex_);
  return pool_.in_flight_bytes() + pool_.idle_bytes();
}

}  // namespace stoker::load
