#include "train/loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpus.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "train/advice.hpp"
#include "train/classes.hpp"
#include "train/progress.hpp"
#include "train/schedule.hpp"
#include "train/settings.hpp"

namespace stoker::training {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

// A source that was opened, and the batches made of it.
struct Side {
  std::string source;
  std::shared_ptr<const RecordReader> reader;
  std::optional<Loader> loader;

  NamedRecords records() const { return {source, reader.get()}; }
};

class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const LearnerFactory& make_learner,
              const TrainLineCallback& report, const std::atomic<bool>* stop);
  TrainReport run();

 private:
  void open_data();
  void note_labels(const Side& side);
  void make_loaders();
  bool train_epoch(int epoch);
  bool train_batch(const Batch& batch, double wait_s, Clock::time_point begin);
  void close_stretch(int epoch);
  bool evaluate(int epoch);
  const std::vector<std::int64_t>& classes_of(const Batch& batch, const Side& side, bool substitutes_count);
  bool asked_to_stop() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  bool out_of_time() const {
    return options_.max_minutes > 0 && seconds_between(begin_, Clock::now()) >= 60 * options_.max_minutes;
  }
  void report_line(const TrainLine& line) const {
    if (report_) report_(line);
  }
  void note_bad_samples(const Side& side);
  void finish();

  const TrainOptions& options_;
  const TrainLineCallback& report_;
  const std::atomic<bool>* stop_;
  const Clock::time_point begin_ = Clock::now();

  Side train_, val_;
  int num_classes_ = 0;
  std::unique_ptr<Learner> learner_;
  std::optional<Schedule> schedule_;
  std::optional<EtaEstimator> eta_;

  std::uint64_t steps_per_epoch_ = 0;
  std::uint64_t total_steps_ = 0;
  std::uint64_t step_ = 0;
  int epochs_evaluated_ = 0;
  Stretch stretch_;   // since the last line
  Stretch training_;  // all before it
  std::vector<std::int64_t> classes_;
  TrainReport result_;
};

TrainingRun::TrainingRun(const TrainOptions& options, const LearnerFactory& make_learner,
                         const TrainLineCallback& report, const std::atomic<bool>* stop)
    : options_(options), report_(report), stop_(stop) {
  open_data();
  learner_ = make_learner({.num_layers = options.num_layers,
                           .width = options.width,
                           .num_classes = num_classes_,
                           .image_size = options.image_size,
                           .mom = options.mom,
                           .wd = options.wd,
                           .label_smoothing = options.label_smoothing,
                           .top_k = options.top_k,
                           .seed = options.seed,
                           .compute_threads = compute_threads(options, allowed_cpus())});
  make_loaders();
}

void TrainingRun::open_data() {
  train_.source = options_.data_train;
  train_.reader = open_records(options_.data_train, options_.open);
  if (!options_.data_val.empty()) {
    val_.source = options_.data_val;
    val_.reader = open_records(options_.data_val, options_.open);
    value_or_throw(check_class_maps(train_.records(), val_.records()));
  }
  value_or_throw(check_not_empty(train_.records()));
  if (val_.reader) value_or_throw(check_not_empty(val_.records()));
  num_classes_ = value_or_throw(count_classes(train_.records(), options_.num_classes, stop_));
  note_labels(train_);
  if (val_.reader) note_labels(val_);
  if (options_.top_k > num_classes_)
    throw Error(ErrorCode::invalid_argument,
                {.object = "--top-k",
                 .found = fmt::format("{}", options_.top_k),
                 .allowed = fmt::format("{} at most: the classes there are", num_classes_)});
}

void TrainingRun::note_labels(const Side& side) {
  const std::size_t labels = value_or_throw(check_labels(side.records(), num_classes_));
  if (labels > 1)
    result_.notes.push_back(fmt::format(
        "{}: its records carry up to {} labels; the first of each is its class", side.source, labels));
}

void TrainingRun::make_loaders() {
  LoaderOptions loader;
  loader.recipe = train_recipe(options_);
  loader.batch_size = options_.batch_size;
  loader.seed = options_.seed;
  loader.threads = options_.data_nthreads;
  loader.bad_sample = options_.bad_sample;
  loader.max_bad_share = options_.max_bad_share;
  loader.max_pixels = options_.max_pixels;
  // The remainder of an epoch is another one each time; a step on few images is noise at the full learning
  // rate.
  const bool fills_a_batch = train_.reader->size() >= static_cast<std::size_t>(options_.batch_size);
  loader.last_batch = fills_a_batch ? LastBatchPolicy::drop : LastBatchPolicy::keep;
  train_.loader.emplace(train_.reader, loader);

  if (val_.reader) {
    loader.recipe = eval_recipe(options_);
    loader.shuffle = false;
    loader.last_batch = LastBatchPolicy::keep;
    loader.publish_counters = false;  // one file a process: the training's
    val_.loader.emplace(val_.reader, loader);
  }
  steps_per_epoch_ = train_.loader->steps_per_epoch();
  total_steps_ = steps_per_epoch_ * static_cast<std::uint64_t>(options_.num_epochs);
  schedule_.emplace(options_.lr, static_cast<std::uint64_t>(options_.warmup_steps), total_steps_);
  eta_.emplace(steps_per_epoch_, static_cast<std::uint64_t>(options_.num_epochs),
               val_.reader ? static_cast<std::uint64_t>(val_.reader->size()) : 0);
}

// The classes of a batch's slots; those that take no part have kLeftOut.
const std::vector<std::int64_t>& TrainingRun::classes_of(const Batch& batch, const Side& side,
                                                         bool substitutes_count) {
  classes_.resize(static_cast<std::size_t>(batch.size()));
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const SampleStatus status = batch.statuses()[i];
    const bool counts = status == SampleStatus::ok || status == SampleStatus::warned ||
                        (status == SampleStatus::substituted && substitutes_count);
    classes_[i] = !counts ? kLeftOut
                          : value_or_throw(class_of(batch.labels()[i], num_classes_, side.records(),
                                                    batch.indices()[i], batch.keys()[i]));
  }
  return classes_;
}

// Whether to go on.
bool TrainingRun::train_batch(const Batch& batch, double wait_s, Clock::time_point begin) {
  const Outcome outcome = learner_->train_step(
      {batch.size(), batch.images(), classes_of(batch, train_, /*substitutes_count=*/true)},
      schedule_->lr(step_));
  if (!std::isfinite(outcome.loss_sum))
    throw Error(
        ErrorCode::invalid_argument,
        {.operation = "train",
         .object = fmt::format("step {} (epoch {})", step_, batch.epoch()),
         .found = fmt::format("the loss is {}: the training has diverged", std::abs(outcome.loss_sum)),
         .next_step = "use a smaller --lr or a longer --warmup-steps"});
  ++step_;
  stretch_ +=
      {.outcome = outcome, .steps = 1, .wait_s = wait_s, .wall_s = seconds_between(begin, Clock::now())};
  if (asked_to_stop()) {
    result_.interrupted = true;
    return false;
  }
  if (out_of_time() && step_ < total_steps_) {
    result_.notes.push_back(
        fmt::format("stopped after {} minutes, at step {} of {}: the learning rate had not come down "
                    "yet; a smaller --num-epochs would fit",
                    format_number(options_.max_minutes), step_, total_steps_));
    return false;
  }
  return true;
}

void TrainingRun::close_stretch(int epoch) {
  if (stretch_.outcome.counted == 0) return;
  eta_->add_training(stretch_);
  const int evaluations = val_.loader ? options_.num_epochs - epochs_evaluated_ : 0;
  TrainLine line{.phase = TrainPhase::train, .epoch = epoch, .step = step_, .total_steps = total_steps_};
  fill_line(stretch_, options_.top_k > 0, line);
  line.epoch_eta_s = eta_->epoch_s(step_);
  line.total_eta_s = eta_->total_s(step_, static_cast<std::uint64_t>(evaluations));
  training_ += std::exchange(stretch_, {});
  report_line(line);
}

// Whether to go on.
bool TrainingRun::train_epoch(int epoch) {
  bool goes_on = true;
  Clock::time_point begin = Clock::now();
  while (goes_on) {
    const Batch batch = train_.loader->next();
    const Clock::time_point arrived = Clock::now();
    if (!batch) break;
    goes_on = train_batch(batch, seconds_between(begin, arrived), begin);
    begin = Clock::now();
    if (stretch_.steps >= static_cast<std::uint64_t>(options_.disp_batches)) close_stretch(epoch);
  }
  close_stretch(epoch);
  return goes_on;
}

// Whether it came to its end.
bool TrainingRun::evaluate(int epoch) {
  const Clock::time_point begin = Clock::now();
  Stretch stretch;
  while (true) {
    const Clock::time_point before = Clock::now();
    const Batch batch = val_.loader->next();
    stretch.wait_s += seconds_between(before, Clock::now());
    if (!batch) break;
    stretch.outcome += learner_->evaluate(
        {batch.size(), batch.images(), classes_of(batch, val_, /*substitutes_count=*/false)});
    if (asked_to_stop()) {
      result_.interrupted = true;
      return false;
    }
  }
  stretch.wall_s = seconds_between(begin, Clock::now());
  if (stretch.outcome.counted == 0)
    throw Error(
        ErrorCode::corrupt_data,
        {.operation = "evaluate", .object = val_.source, .found = "none of its images could be read"});
  ++epochs_evaluated_;
  eta_->add_evaluation(stretch.wall_s);
  TrainLine line{.phase = TrainPhase::eval, .epoch = epoch, .step = step_, .total_steps = total_steps_};
  fill_line(stretch, options_.top_k > 0, line);
  line.epoch_eta_s = eta_->epoch_s(step_);
  line.total_eta_s =
      eta_->total_s(step_, static_cast<std::uint64_t>(options_.num_epochs - epochs_evaluated_));
  result_.evaluations.push_back(line);
  result_.best_accuracy = std::max(result_.best_accuracy, line.accuracy);
  result_.final_accuracy = line.accuracy;
  report_line(line);
  return true;
}

void TrainingRun::note_bad_samples(const Side& side) {
  const std::uint64_t count = side.loader->bad_sample_count();
  if (count == 0) return;
  const BadRecord first = side.loader->bad_samples().front();
  std::string place = first.container;
  if (first.offset > 0) place += fmt::format(" at offset {}", first.offset);
  if (!first.key.empty()) place += fmt::format(" (key {})", first.key);
  result_.notes.push_back(fmt::format("{}: {} bad in all epochs together; the first was {}: {}", side.source,
                                      count == 1 ? "1 sample was" : fmt::format("{} samples were", count),
                                      place, first.reason));
}

void TrainingRun::finish() {
  result_.images = training_.outcome.counted;
  result_.images_per_s = training_.images_per_s();
  result_.data_wait_share = training_.data_wait_share();
  if (schedule_->warmup_steps() < static_cast<std::uint64_t>(options_.warmup_steps))
    result_.notes.push_back(
        fmt::format("the warm-up was shortened from {} to {} steps, a quarter of the training",
                    options_.warmup_steps, schedule_->warmup_steps()));
  note_bad_samples(train_);
  if (val_.loader) note_bad_samples(val_);
  const WaitEvidence evidence = wait_evidence(training_.wait_s, training_.wall_s, train_.loader->counters(),
                                              train_.loader->threads(), allowed_cpus());
  if (const auto advice = wait_advice(evidence)) result_.notes.push_back(*advice);
  result_.wall_s = seconds_between(begin_, Clock::now());
}

TrainReport TrainingRun::run() {
  for (int epoch = 0; epoch < options_.num_epochs; ++epoch) {
    const bool goes_on = train_epoch(epoch);
    if (result_.interrupted) break;
    if (val_.loader && !evaluate(epoch)) break;
    if (!goes_on) break;
  }
  finish();
  return std::move(result_);
}

}  // namespace

TrainReport run_training(const TrainOptions& options, const LearnerFactory& make_learner,
                         const TrainLineCallback& report, const std::atomic<bool>* stop) {
  return TrainingRun(options, make_learner, report, stop).run();
}

}  // namespace stoker::training
