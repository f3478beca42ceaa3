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
  // The newest one that is whole, or none. `skipped` gets a sentence for each newer one that is not, or that
  // cannot be opened. Errors: unsupported (a later version), the store's.
  Result<std::optional<Checkpoint>> newest(std::vector<std::string>& skipped) const;

  // Tries whether something can be written there. Errors: the store's.
  void probe() const;
  // Writes it under its name, whole or not at all. Errors: the store's.
  void write(const CheckpointHeader& header, const LearnerState& learner) const;
  // Of those up to `newest`, removes all but the last `keep` (0: all stay) and those in `others`. Later ones
  // are left alone: they were passed over. Errors: the store's.
  void prune(const Position& newest, int keep, const std::vector<std::string>& others) const;

  Store& store() const { return *store_; }
  const std::string& prefix() const { return prefix_; }

 private:
  std::shared_ptr<Store> store_;
  std::string prefix_;
};

}  // namespace stoker::training
