// The order of samples: which sample stands where in an epoch, and which part of it a rank's step covers.
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/loader.hpp"

namespace stoker::load {

// Datasets and epochs stay below this: an order holds 32-bit indices, and the generator counts epochs in 32
// bits.
inline constexpr std::uint64_t kMaxSamples = 0xffffffff;
inline constexpr std::uint64_t kMaxEpochs = 0x100000000;

// One epoch's order of the whole dataset, all ranks together: a pure function of (size, shuffle, seed,
// epoch). Threads: const after construction. Cost: 4 bytes a sample if shuffled, else nothing.
class EpochOrder {
 public:
  EpochOrder(std::uint64_t size, bool shuffle, std::uint64_t seed, std::uint64_t epoch);

  // The sample at `position` (< size()).
  std::uint64_t at(std::uint64_t position) const { return indices_.empty() ? position : indices_[position]; }
  std::uint64_t size() const { return size_; }
  std::uint64_t epoch() const { return epoch_; }

 private:
  std::uint64_t size_;
  std::uint64_t epoch_;
  std::vector<std::uint32_t> indices_;  // empty: the dataset's own order
};

// What one rank's batch of one global step is made of: `samples` positions from `begin` on, then `wrapped`
// padding slots from `wrap_begin` on (positions from the epoch's beginning, modulo its size), then `hollow`
// slots with no sample at all.
struct StepSlice {
  std::uint64_t step = 0;
  std::uint64_t begin = 0;
  int samples = 0;
  std::uint64_t wrap_begin = 0;
  int wrapped = 0;
  int hollow = 0;
  std::uint64_t next_position = 0;  // where the next global step begins

  int slots() const { return samples + wrapped + hollow; }
  bool is_padding(int slot) const { return slot >= samples; }
  bool is_hollow(int slot) const { return slot >= samples + wrapped; }
  // Where a slot's sample stands in the epoch's order of `size` samples; the slot is not hollow.
  std::uint64_t position(int slot, std::uint64_t size) const {
    if (slot < samples) return begin + static_cast<std::uint64_t>(slot);
    return (wrap_begin + static_cast<std::uint64_t>(slot - samples)) % size;
  }
};

// How an epoch is cut into steps. Every function is of the position alone, so an epoch can be gone on with
// anywhere.
class StepPlan {
 public:
  StepPlan(std::uint64_t size, int batch_size, int rank, int world_size, LastBatchPolicy last_batch);

  bool has_step(std::uint64_t position) const;
  // This rank's part of the step that begins at `position`; has_step(position) holds.
  StepSlice slice(std::uint64_t position) const;
  std::uint64_t steps_per_epoch() const;
  std::uint64_t samples_per_epoch() const;
  std::uint64_t size() const { return size_; }

 private:
  StepSlice keep_slice(std::uint64_t position) const;
  StepSlice pad_slice(std::uint64_t position) const;

  std::uint64_t size_;
  std::uint64_t batch_;
  std::uint64_t rank_;
  std::uint64_t world_;
  std::uint64_t global_batch_;
  LastBatchPolicy last_batch_;
};

}  // namespace stoker::load
