#include "train/checkpoints.hpp"

#include <exception>
#include <fmt/format.h>
#include <utility>

#include "base/result.hpp"

namespace stoker::training {

namespace {

// Writes one and removes those that it makes superfluous; runs in a thread of its own.
std::optional<Error> write_one(const CheckpointFolder& folder, const CheckpointHeader& header,
                               const LearnerState& learner, int keep, std::optional<int> best_epoch) {
  try {
    folder.write(header, learner);
    folder.prune(keep, best_epoch);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return Error(ErrorCode::internal,
                 {.operation = "write checkpoint", .object = folder.prefix(), .found = error.what()});
  }
}

std::string names_of(const std::vector<CheckpointName>& all) {
  constexpr std::size_t kShown = 5;
  std::string text;
  const std::size_t first = all.size() > kShown ? all.size() - kShown : 0;
  for (std::size_t i = first; i < all.size(); ++i) text += (i == first ? "" : ", ") + all[i].path;
  return (first > 0 ? "…, " : "") + text;
}

}  // namespace

Checkpoints::Checkpoints(const TrainOptions& options, std::shared_ptr<Store> store) : options_(options) {
  if (!options.model_prefix.empty()) folder_.emplace(std::move(store), options.model_prefix);
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

void Checkpoints::write(CheckpointHeader header, std::unique_ptr<LearnerState> learner,
                        std::optional<int> best_epoch) {
  finish();
  last_begin_ = std::chrono::steady_clock::now();
  writing_path_ = folder_->path_of(header.position);
  writing_ = std::async(std::launch::async, [folder = *folder_, header = std::move(header),
                                             learner = std::move(learner), keep = options_.keep, best_epoch] {
    return write_one(folder, header, *learner, keep, best_epoch);
  });
}

void Checkpoints::finish() {
  if (!writing_.valid()) return;
  failure_ = writing_.get();
  if (!failure_) last_written_ = writing_path_;
}

std::optional<Error> Checkpoints::take_failure() { return std::exchange(failure_, std::nullopt); }

}  // namespace stoker::training
