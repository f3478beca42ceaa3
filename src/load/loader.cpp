#include "stoker/loader.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/resource.h>
#include <utility>

#include "base/cpus.hpp"
#include "load/bad_ledger.hpp"
#include "load/options.hpp"
#include "load/pipeline.hpp"
#include "load/tuner.hpp"

namespace stoker {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTuneWindow{200};

std::chrono::nanoseconds process_cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto spent = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return spent(usage.ru_utime) + spent(usage.ru_stime);
}

std::shared_ptr<const RecordReader> checked(std::shared_ptr<const RecordReader> records,
                                            const LoaderOptions& options) {
  if (!records) {
    throw Error(ErrorCode::invalid_argument,
                {.operation = "make loader", .object = "source", .found = "none"});
  }
  load::check_options(options, records->size());
  return records;
}

}  // namespace

// The consumer's side: where it stands, what it met, and how many workers it wants.
class Loader::Impl {
 public:
  Impl(std::shared_ptr<const RecordReader> records, LoaderOptions options);
  ~Impl() {
    pipeline_->stop();
    pipeline_->learner().finish();
  }

  Batch next();
  void move_to(std::uint64_t epoch, std::uint64_t position);
  void set_epoch(std::uint64_t epoch);
  void restore(const LoaderState& state);

  LoaderOptions options_;
  std::shared_ptr<const RecordReader> records_;
  std::shared_ptr<load::Counters> counters_;
  int threads_;  // decode workers at work
  std::shared_ptr<load::Pipeline> pipeline_;
  load::BadLedger ledger_;
  std::uint64_t epoch_ = 0;
  std::uint64_t position_ = 0;  // of the global order: behind the last batch
  bool ended_ = false;          // by an error
  bool epoch_ended_ =
      false;  // set_epoch() came before the empty handle at the end: the account is still to be looked at

 private:
  Batch next_batch();
  void account(const load::BatchSlot& batch);
  void tune(Clock::time_point now);
  load::TuneWindow totals(Clock::time_point now) const;

  load::LocalCounts counts_;
  Clock::time_point left_at_;  // the consumer left next()
  bool entered_ = false;
  const Clock::time_point began_ = Clock::now();
  load::TuneWindow window_begin_;
};

Loader::Impl::Impl(std::shared_ptr<const RecordReader> records, LoaderOptions options)
    : options_(std::move(options)),
      records_(checked(std::move(records), options_)),
      counters_(std::make_shared<load::Counters>(options_.publish_counters)),
      threads_(threads_or_allowed(options_.threads)),
      pipeline_(std::make_shared<load::Pipeline>(records_, options_, Recipe::parse(options_.recipe), threads_,
                                                 counters_)),
      ledger_(records_->size(), options_.max_bad_share),
      counts_(*counters_) {
  try {
    pipeline_->start(threads_);
  } catch (...) {
    pipeline_->stop();
    throw;
  }
}

Batch Loader::Impl::next() {
  if (entered_) counts_[Stage::consume].busy += Clock::now() - left_at_;
  entered_ = true;
  Batch batch;
  try {
    batch = next_batch();
  } catch (...) {
    ended_ = true;
    counts_.flush();
    throw;
  }
  counts_.flush();
  left_at_ = Clock::now();
  if (options_.threads == 0) tune(left_at_);
  return batch;
}

Batch Loader::Impl::next_batch() {
  if (ended_) return {};
  const bool at_end = !pipeline_->steps().has_step(position_);
  if (at_end || std::exchange(epoch_ended_, false)) {
    if (const std::optional<Error> error = ledger_.too_many(/*epoch_ended=*/true)) throw *error;
  }
  if (at_end) {
    pipeline_->learner().epoch_ended();
    ++epoch_;
    position_ = 0;
    return {};
  }
  std::shared_ptr<const load::BatchSlot> slot = pipeline_->take(counts_);
  account(*slot);
  position_ = slot->slice.next_position;
  return Batch(std::move(slot));
}

// Everything here is in the order of delivery, so it comes out the same for any number of threads.
void Loader::Impl::account(const load::BatchSlot& batch) {
  if (!batch.troubles.empty() && options_.bad_sample == BadSamplePolicy::raise) {
    ledger_.add(batch.slice.samples, {batch.troubles.front()});
    throw load::bad_sample_error(batch.troubles.front());
  }
  ledger_.add(batch.slice.samples, batch.troubles);
  if (const std::optional<Error> error = ledger_.too_many(/*epoch_ended=*/false)) throw *error;

  const auto size = static_cast<std::ptrdiff_t>(batch.size);
  const auto good = std::count_if(
      batch.statuses.begin(), batch.statuses.begin() + size,
      [](SampleStatus status) { return status != SampleStatus::bad && status != SampleStatus::padding; });
  counters_->add_delivered(static_cast<std::uint64_t>(good), batch.troubles.size());
  for (const Stage stage : {Stage::deliver, Stage::consume}) {
    ++counts_[stage].items;
    counts_[stage].bytes += batch.image_bytes * static_cast<std::size_t>(batch.size);
  }
}

void Loader::Impl::move_to(std::uint64_t epoch, std::uint64_t position) {
  pipeline_->restart(epoch, position);
  epoch_ = epoch;
  position_ = position;
  ended_ = false;
}

void Loader::Impl::set_epoch(std::uint64_t epoch) {
  if (epoch >= load::kMaxEpochs) {
    throw Error(ErrorCode::invalid_argument, {.operation = "set epoch",
                                              .object = std::to_string(epoch),
                                              .allowed = fmt::format("below {}", load::kMaxEpochs)});
  }
  // What has been made ready stays where it is what comes next anyway.
  const bool comes_next = epoch == epoch_ + 1 && !pipeline_->steps().has_step(position_);
  if (!ended_ && ((epoch == epoch_ && position_ == 0) || comes_next)) {
    epoch_ended_ = epoch_ended_ || comes_next;
    if (comes_next) pipeline_->learner().epoch_ended();
    epoch_ = epoch;
    position_ = 0;
    return;
  }
  move_to(epoch, 0);
}

void Loader::Impl::restore(const LoaderState& state) {
  const auto refuse = [](const char* what, std::uint64_t found, std::uint64_t allowed,
                         const char* next_step) {
    throw Error(ErrorCode::invalid_argument, {.operation = "restore loader",
                                              .object = what,
                                              .found = std::to_string(found),
                                              .allowed = std::to_string(allowed),
                                              .next_step = next_step});
  };
  if (state.dataset_size != records_->size()) {
    refuse("dataset_size", state.dataset_size, records_->size(),
           "open the source that the state was saved with");
  }
  if (state.seed != options_.seed)
    refuse("seed", state.seed, options_.seed, "use the seed that the state was saved with");
  if (state.samples_done > state.dataset_size) {
    throw Error(ErrorCode::invalid_argument, {.operation = "restore loader",
                                              .object = "samples_done",
                                              .found = std::to_string(state.samples_done),
                                              .allowed = fmt::format("0..{}", state.dataset_size)});
  }
  if (state.samples_done == 0) {
    set_epoch(state.epoch);
    return;
  }
  if (state.epoch >= load::kMaxEpochs) {
    throw Error(ErrorCode::invalid_argument, {.operation = "restore loader",
                                              .object = "epoch",
                                              .found = std::to_string(state.epoch),
                                              .allowed = fmt::format("below {}", load::kMaxEpochs)});
  }
  move_to(state.epoch, state.samples_done);
}

load::TuneWindow Loader::Impl::totals(Clock::time_point now) const {
  const CountersFile& own = counters_->own();
  const auto value = [](const std::atomic<std::uint64_t>& ns) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(ns.load(std::memory_order_relaxed)));
  };
  const StageCounters& decode = own.stages[static_cast<std::size_t>(Stage::decode)];
  const StageCounters& consume = own.stages[static_cast<std::size_t>(Stage::consume)];
  return {.wall = now - began_,
          .consumer_waited = value(consume.blocked_on_input_ns),
          .blocked_on_output = value(decode.blocked_on_output_ns),
          .blocked_on_input = value(decode.blocked_on_input_ns),
          .process_cpu = process_cpu()};
}

void Loader::Impl::tune(Clock::time_point now) {
  if (now - began_ - window_begin_.wall < kTuneWindow) return;
  const load::TuneWindow end = totals(now);
  const load::TuneWindow window{.wall = end.wall - window_begin_.wall,
                                .consumer_waited = end.consumer_waited - window_begin_.consumer_waited,
                                .blocked_on_output = end.blocked_on_output - window_begin_.blocked_on_output,
                                .blocked_on_input = end.blocked_on_input - window_begin_.blocked_on_input,
                                .process_cpu = end.process_cpu - window_begin_.process_cpu};
  window_begin_ = end;
  const int wanted = load::tune_threads(window, threads_, allowed_cpus());
  if (wanted == threads_) return;
  threads_ = wanted;
  pipeline_->set_active(wanted);
}

Loader::Loader(std::shared_ptr<const RecordReader> records, LoaderOptions options)
    : impl_(std::make_unique<Impl>(std::move(records), std::move(options))) {}
Loader::~Loader() = default;
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;

Batch Loader::next() { return impl_->next(); }
void Loader::set_epoch(std::uint64_t epoch) { impl_->set_epoch(epoch); }
std::uint64_t Loader::epoch() const { return impl_->epoch_; }
std::uint64_t Loader::steps_per_epoch() const { return impl_->pipeline_->steps().steps_per_epoch(); }
std::uint64_t Loader::samples_per_epoch() const { return impl_->pipeline_->steps().samples_per_epoch(); }
void Loader::restore(const LoaderState& state) { impl_->restore(state); }
std::vector<BadRecord> Loader::bad_samples() const { return impl_->ledger_.records(); }
std::uint64_t Loader::bad_sample_count() const { return impl_->ledger_.count(); }
DecodeCounts Loader::decode_counts() const { return impl_->pipeline_->learner().counts(); }
int Loader::threads() const { return impl_->threads_; }
const CountersFile& Loader::counters() const { return impl_->counters_->own(); }
const LoaderOptions& Loader::options() const { return impl_->options_; }

LoaderState Loader::state() const {
  return {.seed = impl_->options_.seed,
          .epoch = impl_->epoch_,
          .samples_done = impl_->position_,
          .dataset_size = impl_->records_->size()};
}

}  // namespace stoker
