#include "train/checkpoints.hpp"

#include <exception>
#include <fmt/format.h>
#include <utility>

#include "base/result.hpp"

namespace stoker::training {

namespace {

std::string names_of(const std::vector<CheckpointName>& all) {
  constexpr std::size_t kShown = 5;
  std::string text;
  const std::size_t first = all.size() > kShown ? all.size() - kShown : 0;
  for (std::size_t i = first; i < all.size(); ++i) text += (i == first ? "" : ", ") + all[i].path;
  return (first > 0 ? "…, " : "") + text;
}

}  // namespace

Checkpoints::Checkpoints(const TrainOptions& options, std::shared_ptr<Store> store) : options_(options) {
  if (options.model_prefix.empty()) return;
  folder_.emplace(std::move(store), options.model_prefix);
  folder_->probe();
  lock_.emplace(options.model_prefix);
}

Checkpoints::~Checkpoints() { finish(); }

std::optional<Checkpoint> Checkpoints::choose(std::vector<std::string>& notes) const {
  if (!folder_) return std::nullopt;
  if (options_.resume) return value_or_throw(folder_->newest(notes));
  const std::vector<CheckpointName> all = folder_->list();
  const int from = options_.load_epoch.value_or(0);
  const std::string path = folder_->path_behind_epoch(from);
  if (options_.load_epoch && !folder_->store().info(path))
    throw Error(ErrorCode::not_found,
                {.operation = "load checkpoint",
                 .object = path,
                 .found = "no such file",
                 .allowed = all.empty() ? "no checkpoint lies under this prefix" : names_of(all)});
  if (!all.empty() && std::pair(all.back().epoch, all.back().step) > std::pair(from, std::uint64_t{0}))
    throw Error(
        ErrorCode::invalid_argument,
        {.object = "--model-prefix " + options_.model_prefix,
         .found = fmt::format("checkpoints of an earlier training: {}", names_of(all)),
         .next_step = fmt::format("go on with --resume auto, give another --model-prefix, or remove {}",
                                  options_.load_epoch ? "those behind that epoch" : "them")});
  if (!options_.load_epoch) return std::nullopt;
  return value_or_throw(read_checkpoint(folder_->store(), path));
}

bool Checkpoints::due(std::uint64_t step) const {
  if (!folder_) return false;
  if (options_.checkpoint_steps != 0 && step % options_.checkpoint_steps == 0) return true;
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - last_begin_;
  return options_.checkpoint_s > 0 && since.count() >= options_.checkpoint_s;
}

Checkpoints::Outcome Checkpoints::write_one(const CheckpointFolder& folder, const CheckpointHeader& header,
                                            const LearnerState& learner, int keep,
                                            const std::vector<std::string>& kept) {
  Outcome outcome;
  const auto attempt = [&](std::optional<Error>& failure, const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      failure = error;
    } catch (const std::exception& error) {
      failure = Error(ErrorCode::internal, {.operation = "write checkpoint",
                                            .object = folder.path_of(header.position),
                                            .found = error.what()});
    }
  };
  attempt(outcome.write, [&] { folder.write(header, learner); });
  if (!outcome.write) attempt(outcome.prune, [&] { folder.prune(header.position, keep, kept); });
  return outcome;
}

void Checkpoints::write(CheckpointHeader header, std::unique_ptr<LearnerState> learner,
                        std::optional<int> best_epoch) {
  finish();
  last_begin_ = std::chrono::steady_clock::now();
  being_written_ = {folder_->path_of(header.position), header.position.step};
  std::vector<std::string> kept{proven_};
  if (best_epoch) kept.push_back(folder_->path_behind_epoch(*best_epoch));
  writing_ = std::async(
      std::launch::async,
      [folder = *folder_, header = std::move(header), learner = std::move(learner), keep = options_.keep,
       kept = std::move(kept)] { return write_one(folder, header, *learner, keep, kept); });
}

void Checkpoints::prove(std::uint64_t step) {
  good_step_ = step;
  if (last_written_.step <= good_step_) proven_ = last_written_.path;
}

void Checkpoints::discard_unproven() {
  finish();
  if (last_written_.path.empty() || last_written_.step <= good_step_ || failure_) return;
  try {
    folder_->store().remove(last_written_.path);
    troubles_.push_back(last_written_.path + " is removed: its weights have diverged");
    last_written_ = {proven_, good_step_};
  } catch (const Error& error) {
    troubles_.push_back(fmt::format("the last checkpoint has diverged: {}", error.what()));
  }
}

void Checkpoints::prune(const Position& newest, std::optional<int> best_epoch) {
  std::vector<std::string> kept;
  if (best_epoch) kept.push_back(folder_->path_behind_epoch(*best_epoch));
  try {
    folder_->prune(newest, options_.keep, kept);
  } catch (const Error& error) {
    troubles_.push_back(fmt::format("older checkpoints could not be removed: {}", error.what()));
  }
}

void Checkpoints::collect() {
  const Outcome outcome = writing_.get();
  failure_ = outcome.write;
  if (failure_) {
    troubles_.push_back(
        fmt::format("no checkpoint was written, the next one is tried in its turn: {}", failure_->what()));
    return;
  }
  last_written_ = being_written_;
  if (last_written_.step <= good_step_) proven_ = last_written_.path;
  if (outcome.prune)
    troubles_.push_back(fmt::format("older checkpoints could not be removed: {}", outcome.prune->what()));
}

void Checkpoints::finish() {
  if (writing_.valid()) collect();
}

std::vector<std::string> Checkpoints::take_troubles() {
  if (writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) collect();
  return std::exchange(troubles_, {});
}

}  // namespace stoker::training
