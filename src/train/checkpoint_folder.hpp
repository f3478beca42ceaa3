// The checkpoints of one prefix: their names, which of them is the newest whole one, and which may go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/store.hpp"

#include "base/result.hpp"
#include "train/checkpoint.hpp"

namespace stoker::training {

struct CheckpointName {
  std::string path;
  int epoch = 0;           // epochs trained to their end
  std::uint64_t step = 0;  // steps since the beginning; 0: at an epoch's end
};

// Threads: safe from many; it holds nothing that changes.
class CheckpointFolder {
 public:
  // Removes what killed writers of this prefix left unfinished. Errors: the store's.
  CheckpointFolder(std::shared_ptr<Store> store, std::string prefix);

  // PREFIX-0003.ckpt behind the third epoch; PREFIX-0003-00000420.ckpt behind step 420, in the fourth.
  std::string path_of(const Position& position) const;
  std::string path_behind_epoch(int epochs) const;

  // In the order of training. Errors: the store's.
  std::vector<CheckpointName> list() const;
  // The newest one that is whole, or none. `skipped` gets a sentence for each newer one that is not.
  // Errors: the store's, but for what is damaged.
  Result<std::optional<Checkpoint>> newest(std::vector<std::string>& skipped) const;

  // Writes it under its name, whole or not at all. Errors: the store's.
  void write(const CheckpointHeader& header, const LearnerState& learner) const;
  // Removes all but the newest `keep` (0: all stay) and that of `best_epoch`. Errors: the store's.
  void prune(int keep, std::optional<int> best_epoch) const;

  Store& store() const { return *store_; }
  const std::string& prefix() const { return prefix_; }

 private:
  std::shared_ptr<Store> store_;
  std::string prefix_;
};

}  // namespace stoker::training
