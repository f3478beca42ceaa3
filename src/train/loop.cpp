#include "train/loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpus.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "train/advice.hpp"
#include "train/batch_feeder.hpp"
#include "train/checkpoints.hpp"
#include "train/event_file.hpp"
#include "train/progress.hpp"
#include "train/schedule.hpp"
#include "train/settings.hpp"
#include "train/training_data.hpp"

namespace stoker::training {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// `work`'s result; an error that names something inside a file names the file.
template <class Work>
auto of_file(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    ErrorParts parts = error.parts();
    parts.found = parts.object.empty() ? parts.found : parts.object + ": " + parts.found;
    parts.object = path;
    throw Error(error.code(), parts);
  }
}

// The whole object at `path`. Errors: the store's.
std::string read_file(const std::string& path) {
  const std::unique_ptr<ReadableFile> file = open_store(path)->open_read(path);
  std::string bytes(file->bytes(), '\0');
  const std::size_t got = file->read_at(0, std::as_writable_bytes(std::span(bytes)));
  bytes.resize(got);
  return bytes;
}

class TrainingRun {
 public:
  TrainingRun(const TrainOptions& options, const LearnerFactory& make_learner,
              const std::shared_ptr<Store>& store, const TrainCallbacks& callbacks,
              const std::atomic<bool>* stop);
  TrainReport run();

 private:
  void begin();
  void load_first_weights();
  void go_on_from(const Checkpoint& checkpoint);
  void make_schedule();
  void run_epochs();
  bool train_epoch();
  bool train_step(BatchFeeder& feeder);
  void close_stretch();
  bool evaluate();
  [[noreturn]] void stop_diverged(double loss);
  void write_checkpoint();
  void save_before_error();
  void tell_troubles();
  void finish();

  void report_line(TrainLine line);
  void note(std::string text);
  bool asked_to_stop() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  bool out_of_time() const {
    return options_.max_minutes > 0 && seconds_since(begin_) >= 60 * options_.max_minutes;
  }
  bool at_epoch_end() const { return position_.epoch_step == steps_per_epoch_; }
  int epochs_to_evaluate() const {
    return data_.evaluates() ? options_.num_epochs - position_.epochs_evaluated : 0;
  }
  double wall_s() const { return earlier_.wall_s + seconds_since(begin_); }
  Goodput goodput() const;
  History history() const;
  std::optional<int> best_epoch() const;

  const TrainOptions& options_;
  const TrainCallbacks& callbacks_;
  const std::atomic<bool>* stop_;
  const Clock::time_point begin_ = Clock::now();

  TrainReport result_;
  TrainingData data_;
  std::unique_ptr<Learner> learner_;
  Checkpoints checkpoints_;
  std::optional<EventFile> events_;
  std::optional<Schedule> schedule_;
  std::optional<EtaEstimator> eta_;

  std::uint64_t steps_per_epoch_ = 0;
  std::uint64_t total_steps_ = 0;
  Position position_;
  LoaderState loader_stands_;  // behind the batches of the last step
  History earlier_;            // of the runs that this one goes on from
  Stretch stretch_;            // since the last line
  Stretch training_;           // all before it, in this run
  bool diverged_ = false;
  std::uint64_t saved_step_ = 0;
};

TrainingRun::TrainingRun(const TrainOptions& options, const LearnerFactory& make_learner,
                         const std::shared_ptr<Store>& store, const TrainCallbacks& callbacks,
                         const std::atomic<bool>* stop)
    : options_(options),
      callbacks_(callbacks),
      stop_(stop),
      data_(options, stop, result_.notes),
      checkpoints_(options, store) {
  learner_ = make_learner({.network = {.num_layers = options.num_layers,
                                       .width = options.width,
                                       .num_classes = data_.num_classes()},
                           .mom = options.mom,
                           .nesterov = options.nesterov,
                           .wd = *options.wd,
                           .label_smoothing = options.label_smoothing,
                           .ema_decay = options.ema_decay,
                           .bfloat16 = options.bfloat16,
                           .top_k = options.top_k,
                           .seed = options.seed,
                           .compute_threads = compute_threads(options, allowed_cpus()),
                           .gpu = options.gpu,
                           .normalize = kImageNetStatistics});
  const auto accumulate = static_cast<std::uint64_t>(options.accumulate);
  steps_per_epoch_ = (data_.batches_per_epoch() + accumulate - 1) / accumulate;
  total_steps_ = steps_per_epoch_ * static_cast<std::uint64_t>(options.num_epochs);
  begin();
  make_schedule();
}

void TrainingRun::begin() {
  std::vector<std::string> passed_over;
  const std::optional<Checkpoint> checkpoint = checkpoints_.choose(passed_over);
  for (std::string& text : passed_over) note(std::move(text));
  if (checkpoint) {
    go_on_from(*checkpoint);
  } else {
    if (options_.resume) note("no checkpoint to go on from: the training begins at its beginning");
    if (!options_.init_from.empty()) load_first_weights();
  }
  if (!options_.tensorboard.empty())
    events_.emplace(value_or_throw(
        EventFile::create(options_.tensorboard, position_.step == 0 ? 0 : position_.step + 1)));
}

void TrainingRun::load_first_weights() {
  const std::string bytes = read_file(options_.init_from);
  if (is_checkpoint(bytes))
    throw Error(ErrorCode::invalid_argument,
                {.object = "--init-from " + options_.init_from,
                 .found = "a checkpoint of stoker train",
                 .allowed = "a state_dict",
                 .next_step = "make one of it with `stoker export`, or go on from it with --resume auto"});
  const auto notes = of_file(options_.init_from, [&] { return learner_->load_weights(bytes); });
  for (const std::string& text : notes) note(options_.init_from + ": " + text);
}

void TrainingRun::go_on_from(const Checkpoint& checkpoint) {
  const CheckpointHeader& header = checkpoint.header;
  const auto check = [](const char* option, const std::string& found, const std::string& wanted,
                        const char* next_step) {
    if (found != wanted)
      throw Error(ErrorCode::invalid_argument, {.operation = "go on from checkpoint",
                                                .object = option,
                                                .found = wanted,
                                                .allowed = found + ", with which it was made",
                                                .next_step = next_step});
  };
  constexpr const char* kAnother = "give it, or another --model-prefix";
  const auto number = [](int value) { return fmt::format("{}", value); };
  check("--num-layers", number(header.network.num_layers), number(options_.num_layers), kAnother);
  if (is_small_network(options_.num_layers))
    check("--width", number(header.network.width), number(options_.width), kAnother);
  check("--num-classes", number(header.network.num_classes), number(data_.num_classes()), kAnother);
  check("--ema-decay", header.averaged ? "a running mean" : "none",
        options_.ema_decay > 0 ? "a running mean" : "none", kAnother);
  const auto settings = shaping_settings(options_);
  for (const auto& [name, value] : header.settings) {
    const auto now = std::ranges::find(settings, name, [](const auto& setting) { return setting.first; });
    if (now == settings.end() || now->second == value) continue;
    if (header.position.epoch_step != 0 &&
        (name == "--batch-size" || name == "--accumulate" || name == "--seed"))
      check(
          name.c_str(), value, now->second,
          "give it, or begin behind a whole epoch with --load-epoch: this checkpoint stands in the middle of "
          "one");
    note(fmt::format("{} is {} from here on; the checkpoint was made with {}", name,
                     now->second.empty() ? "empty" : now->second, value.empty() ? "none" : value));
  }
  if (header.position.epoch_step >= steps_per_epoch_)
    throw Error(ErrorCode::invalid_argument,
                {.operation = "go on from checkpoint",
                 .found = fmt::format("{} steps of an epoch", header.position.epoch_step),
                 .allowed = fmt::format("below {}, the steps of an epoch of this data", steps_per_epoch_),
                 .next_step = "give the data that it was made with"});
  of_file(options_.model_prefix, [&] { learner_->restore(checkpoint.learner); });
  earlier_ = header.history;
  position_ = header.position;
  position_.step = static_cast<std::uint64_t>(position_.epoch) * steps_per_epoch_ + position_.epoch_step;
  if (position_.epoch_step != 0) {
    data_.restore(position_.epoch, position_.loader);
    loader_stands_ = data_.train.loader->state();
  }
  result_.evaluations = earlier_.evaluations;
  note(fmt::format("goes on from step {} of {}, {} epochs trained", position_.step, total_steps_,
                   position_.epoch));
}

void TrainingRun::make_schedule() {
  ScheduleSpec spec{.kind = options_.lr_schedule,
                    .lr = options_.lr,
                    .warmup_steps = static_cast<std::uint64_t>(options_.warmup_steps),
                    .total_steps = total_steps_,
                    .factor = options_.lr_factor};
  for (const int epoch : options_.lr_step_epochs)
    spec.drops.push_back(static_cast<std::uint64_t>(epoch) * steps_per_epoch_);
  schedule_.emplace(std::move(spec));
  if (schedule_->warmup_steps() < static_cast<std::uint64_t>(options_.warmup_steps))
    note(fmt::format("the warm-up was shortened from {} to {} steps, a quarter of the training",
                     options_.warmup_steps, schedule_->warmup_steps()));
  eta_.emplace(steps_per_epoch_, static_cast<std::uint64_t>(options_.num_epochs),
               data_.evaluates() ? static_cast<std::uint64_t>(data_.val.reader->size()) : 0);
}

void TrainingRun::report_line(TrainLine line) {
  if (options_.price_per_h) {
    line.cost = *options_.price_per_h * wall_s() / 3600;
    if (line.total_eta_s) line.cost_to_go = *options_.price_per_h * *line.total_eta_s / 3600;
  }
  if (line.phase == TrainPhase::eval) result_.evaluations.push_back(line);
  if (events_) {
    if (const auto added = add_line(*events_, line); !added) {
      events_.reset();  // told once; the training goes on
      note(fmt::format("no more events are written: {}", added.error().what()));
    }
  }
  if (callbacks_.line) callbacks_.line(line);
}

void TrainingRun::note(std::string text) {
  if (callbacks_.note) {
    callbacks_.note(text);
  } else {
    result_.notes.push_back(std::move(text));
  }
}

// One step of the optimiser: the gradients of up to `accumulate` batches.
bool TrainingRun::train_step(BatchFeeder& feeder) {
  const auto accumulate = static_cast<std::uint64_t>(options_.accumulate);
  const std::uint64_t batches_left = data_.batches_per_epoch() - position_.epoch_step * accumulate;
  const std::uint64_t batches = std::min(accumulate, batches_left);
  const Clock::time_point begin = Clock::now();
  Stretch step{.steps = 1};
  LoaderState behind;
  for (std::uint64_t i = 0; i < batches; ++i) {
    const Clock::time_point before = Clock::now();
    const TakenBatch& batch = *feeder.next();
    step.wait_s += seconds_since(before);
    step.outcome += learner_->accumulate(batch.view, 1.0 / static_cast<double>(batches));
    behind = batch.behind;
  }
  // Before the weights change, and before the last checkpoint counts as good.
  if (!std::isfinite(step.outcome.loss_sum)) stop_diverged(step.outcome.loss_sum);
  checkpoints_.prove(position_.step);
  learner_->update(schedule_->lr(position_.step));
  ++position_.step;
  ++position_.epoch_step;
  loader_stands_ = behind;
  step.wall_s = seconds_since(begin);
  stretch_ += step;
  if (position_.epoch_step % static_cast<std::uint64_t>(options_.disp_batches) == 0) close_stretch();
  if (asked_to_stop()) {
    result_.interrupted = true;
    return false;
  }
  if (out_of_time() && position_.step < total_steps_) {
    note(
        fmt::format("stopped after {} minutes, at step {} of {}: the learning rate had not come down yet; a "
                    "smaller --num-epochs would fit",
                    format_number(options_.max_minutes), position_.step, total_steps_));
    return false;
  }
  return true;
}

void TrainingRun::stop_diverged(double loss) {
  diverged_ = true;
  checkpoints_.discard_unproven();
  tell_troubles();
  throw Error(ErrorCode::invalid_argument,
              {.operation = "train",
               .object = fmt::format("step {} (epoch {})", position_.step, position_.epoch),
               .found = fmt::format("the loss is {}: the training has diverged", std::abs(loss)),
               .next_step = "use a smaller --lr or a longer --warmup-steps"});
}

void TrainingRun::close_stretch() {
  if (stretch_.outcome.counted == 0) return;
  eta_->add_training(stretch_);
  TrainLine line{.phase = TrainPhase::train,
                 .epoch = position_.epoch,
                 .step = position_.step,
                 .total_steps = total_steps_};
  fill_line(stretch_, options_.top_k > 0, line);
  line.lr = schedule_->lr(position_.step - 1);
  line.epoch_eta_s = eta_->epoch_s(position_.step);
  line.total_eta_s = eta_->total_s(position_.step, static_cast<std::uint64_t>(epochs_to_evaluate()));
  training_ += std::exchange(stretch_, {});
  report_line(line);
}

// Whether to go on.
bool TrainingRun::train_epoch() {
  if (position_.epoch_step == 0) data_.begin_epoch(position_.epoch);
  const std::uint64_t done = position_.epoch_step * static_cast<std::uint64_t>(options_.accumulate);
  BatchFeeder feeder(data_.source(data_.train, /*substitutes_count=*/true), *learner_,
                     data_.batches_per_epoch() - done);
  bool goes_on = true;
  while (goes_on && !at_epoch_end()) {
    goes_on = train_step(feeder);
    tell_troubles();
    if (goes_on && !at_epoch_end() && checkpoints_.due(position_.step)) write_checkpoint();
  }
  close_stretch();
  if (at_epoch_end()) {
    ++position_.epoch;
    position_.epoch_step = 0;
  }
  return goes_on;
}

// Evaluates the epoch that was trained last. Whether it came to its end.
bool TrainingRun::evaluate() {
  const Clock::time_point begin = Clock::now();
  Stretch stretch;
  std::vector<std::uint8_t> hits;
  std::vector<ClassAccuracy> classes(static_cast<std::size_t>(data_.num_classes()));
  const std::vector<std::string>& names = data_.train.reader->classes();
  for (std::size_t i = 0; i < classes.size() && i < names.size(); ++i) classes[i].name = names[i];
  BatchFeeder feeder(data_.source(data_.val, /*substitutes_count=*/false), *learner_, kNoLimit);
  while (true) {
    const Clock::time_point before = Clock::now();
    const TakenBatch* const batch = feeder.next();
    stretch.wait_s += seconds_since(before);
    if (batch == nullptr) break;
    const std::vector<std::int64_t>& labels = batch->labels;
    hits.resize(labels.size());
    stretch.outcome += learner_->evaluate(batch->view, hits);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == kLeftOut) continue;
      ClassAccuracy& one = classes[static_cast<std::size_t>(labels[i])];
      ++one.images;
      one.correct += hits[i];
    }
    if (asked_to_stop()) {
      result_.interrupted = true;
      result_.goodput.evaluate_s += seconds_since(begin);
      return false;
    }
  }
  stretch.wall_s = seconds_since(begin);
  result_.goodput.evaluate_s += stretch.wall_s;
  if (!std::isfinite(stretch.outcome.loss_sum)) stop_diverged(stretch.outcome.loss_sum);
  checkpoints_.prove(position_.step);
  if (stretch.outcome.counted == 0)
    throw Error(
        ErrorCode::corrupt_data,
        {.operation = "evaluate", .object = data_.val.source, .found = "none of its images could be read"});
  eta_->add_evaluation(stretch.wall_s);
  const bool whole = position_.epoch_step == 0;
  if (whole) position_.epochs_evaluated = position_.epoch;
  TrainLine line{.phase = TrainPhase::eval,
                 .epoch = whole ? position_.epoch - 1 : position_.epoch,
                 .step = position_.step,
                 .total_steps = total_steps_};
  fill_line(stretch, options_.top_k > 0, line);
  line.epoch_eta_s = eta_->epoch_s(position_.step);
  line.total_eta_s = eta_->total_s(position_.step, static_cast<std::uint64_t>(epochs_to_evaluate()));
  line.goodput = goodput();
  line.classes = std::move(classes);
  report_line(line);
  return true;
}

// Of this run, so far.
Goodput TrainingRun::goodput() const {
  Goodput parts = result_.goodput;
  parts.data_wait_s = training_.wait_s + stretch_.wait_s;
  parts.train_s = training_.wall_s + stretch_.wall_s - parts.data_wait_s;
  parts.other_s = std::max(
      0.0, seconds_since(begin_) - parts.train_s - parts.data_wait_s - parts.evaluate_s - parts.checkpoint_s);
  return parts;
}

History TrainingRun::history() const {
  History history = earlier_;
  history.training += training_;
  history.training += stretch_;
  const Goodput parts = goodput();
  history.goodput.train_s += parts.train_s;
  history.goodput.data_wait_s += parts.data_wait_s;
  history.goodput.evaluate_s += parts.evaluate_s;
  history.goodput.checkpoint_s += parts.checkpoint_s;
  history.goodput.other_s += parts.other_s;
  history.wall_s = wall_s();
  history.evaluations = result_.evaluations;
  return history;
}

// The checkpoint (by its number of epochs) with the best accuracy.
std::optional<int> TrainingRun::best_epoch() const {
  const TrainLine* best = nullptr;
  for (const TrainLine& line : result_.evaluations) {
    const bool whole = line.step % steps_per_epoch_ == 0;  // --max-minutes evaluates in the middle of one
    if (whole && (best == nullptr || line.accuracy > best->accuracy)) best = &line;
  }
  return best != nullptr ? std::optional(best->epoch + 1) : std::nullopt;
}

void TrainingRun::write_checkpoint() {
  if (!checkpoints_.wanted()) return;
  const Clock::time_point begin = Clock::now();
  checkpoints_.finish();
  tell_troubles();
  CheckpointHeader header{.network = {.num_layers = options_.num_layers,
                                      .width = options_.width,
                                      .num_classes = data_.num_classes()},
                          .averaged = options_.ema_decay > 0,
                          .position = position_,
                          .history = history(),
                          .settings = shaping_settings(options_)};
  if (position_.epoch_step != 0) header.position.loader = loader_stands_.to_string();
  checkpoints_.write(std::move(header), learner_->state(), best_epoch());
  saved_step_ = position_.step;
  result_.goodput.checkpoint_s += seconds_since(begin);
}

// A checkpoint that could not be written does not end the training: what was learned lives in memory alone.
void TrainingRun::tell_troubles() {
  for (std::string& text : checkpoints_.take_troubles()) note(std::move(text));
}

// What was learned must not be lost because an image, a pipe or an evaluation failed.
void TrainingRun::save_before_error() {
  if (diverged_ || !checkpoints_.wanted() || position_.step == saved_step_) return;
  try {
    write_checkpoint();
    checkpoints_.finish();
    tell_troubles();
  } catch (const Error& error) {
    note(fmt::format("what was learned could not be saved: {}", error.what()));
  }
}

void TrainingRun::finish() {
  const Clock::time_point begin = Clock::now();
  checkpoints_.finish();
  const bool proven = data_.evaluates() && position_.epochs_evaluated == position_.epoch;
  if (checkpoints_.wanted() && proven && !checkpoints_.last_failure())
    checkpoints_.prune(position_, best_epoch());
  result_.goodput.checkpoint_s += seconds_since(begin);
  tell_troubles();
  if (checkpoints_.last_failure()) result_.unsaved = checkpoints_.last_failure()->what();
  result_.last_checkpoint = checkpoints_.last_written();
  training_ += std::exchange(stretch_, {});
  result_.images = training_.outcome.counted;
  result_.images_per_s = training_.images_per_s();
  result_.data_wait_share = training_.data_wait_share();
  for (const TrainLine& line : result_.evaluations) {
    result_.best_accuracy = std::max(result_.best_accuracy, line.accuracy);
    result_.final_accuracy = line.accuracy;
  }
  data_.note_bad_samples(result_.notes);
  data_.note_decodes(result_.notes);
  const WaitEvidence evidence =
      wait_evidence(training_.wait_s, training_.wall_s, data_.train.loader->counters(),
                    data_.train.loader->threads(), allowed_cpus());
  if (const auto advice = wait_advice(evidence)) result_.notes.push_back(*advice);
  if (!result_.evaluations.empty()) result_.classes = result_.evaluations.back().classes;
  result_.goodput = goodput();
  result_.wall_s = result_.goodput.total_s();
  if (options_.price_per_h) result_.cost = *options_.price_per_h * wall_s() / 3600;
}

void TrainingRun::run_epochs() {
  // An evaluation that the run before did not come to.
  const bool pending =
      data_.evaluates() && position_.epoch_step == 0 && position_.epochs_evaluated < position_.epoch;
  if (pending && !evaluate()) return;
  while (position_.epoch < options_.num_epochs) {
    const bool goes_on = train_epoch();
    if (result_.interrupted) return;
    if (data_.evaluates() && !evaluate()) return;
    if (!goes_on) return;
    if (position_.epoch < options_.num_epochs) write_checkpoint();
  }
}

TrainReport TrainingRun::run() {
  const std::uint64_t first_step = saved_step_ = position_.step;
  try {
    run_epochs();
  } catch (const Error&) {
    save_before_error();
    throw;
  }
  if (position_.step > first_step || result_.evaluations.size() > earlier_.evaluations.size())
    write_checkpoint();
  if (position_.step == first_step && !result_.interrupted)
    note(fmt::format("nothing was left to train: all {} epochs are done", options_.num_epochs));
  finish();
  return std::move(result_);
}

}  // namespace

TrainReport run_training(const TrainOptions& options, const LearnerFactory& make_learner,
                         const std::shared_ptr<Store>& store, const TrainCallbacks& callbacks,
                         const std::atomic<bool>* stop) {
  return TrainingRun(options, make_learner, store, callbacks, stop).run();
}

}  // namespace stoker::training
